// Conversion of results of older servers (D-51, E-50).
import { expect, it } from "vitest";
import { taskSupportOf } from "../../dispatch/task-augmentation.ts";
import { metaKey } from "../../meta/keys.ts";
import { fromServerResult } from "./result.ts";

const serverInfo = { name: "s", version: "1" };

it.each(["tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"])(
  "a %s result of an older server is stale at once and private",
  (method) => {
    expect(fromServerResult(method, {}, undefined)).toEqual({
      resultType: "complete",
      ttlMs: 0,
      cacheScope: "private",
    });
  },
);

it.each(["prompts/get", "completion/complete"])("a %s result of an older server has no cache hints", (method) => {
  expect(fromServerResult(method, { a: 1 }, undefined)).toEqual({ a: 1, resultType: "complete" });
});

it("a result of an older server is always complete: it cannot request input", () => {
  expect(fromServerResult("prompts/get", { resultType: "input_required" }, undefined).resultType).toBe("complete");
});

it("serverInfo is added to _meta, and a _meta that is not an object is dropped (A-35)", () => {
  const named = { [metaKey.serverInfo]: serverInfo };
  expect(fromServerResult("prompts/get", { _meta: { x: 1 } }, serverInfo)._meta).toEqual({ x: 1, ...named });
  expect(fromServerResult("prompts/get", { _meta: null }, serverInfo)._meta).toEqual(named);
  expect(fromServerResult("prompts/get", { _meta: "m" }, undefined)).not.toHaveProperty("_meta");
});

it("a tool result keeps content of any kind and structured content of any value (E-69)", () => {
  const content = [{ type: "audio", data: "" }, { type: "hologram" }];
  expect(fromServerResult("tools/call", { content, structuredContent: null }, undefined)).toEqual({
    resultType: "complete",
    content,
    structuredContent: null,
  });
  expect(fromServerResult("tools/call", { structuredContent: 0 }, undefined).content).toEqual([]);
});

it("fromServerResult turns `execution` of a tool into a mark and changes nothing else (A-53)", () => {
  const schema = { type: "object", $defs: { x: {} }, unknown: true };
  const legacy = { tools: [{ name: "a", inputSchema: schema, execution: { taskSupport: "optional" } }, "odd"] };
  const { tools } = fromServerResult("tools/list", legacy, undefined);
  expect(JSON.parse(JSON.stringify(tools))).toEqual([{ name: "a", inputSchema: schema }, "odd"]);
  expect(legacy.tools[0]).toHaveProperty("execution");
  expect(taskSupportOf((tools as object[])[0] as object)).toBe("optional");
});
