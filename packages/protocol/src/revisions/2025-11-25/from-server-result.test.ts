// The results of legacy servers, as modern callers take them (D-51, E-50).
import { expect, it } from "vitest";
import { taskSupportOf } from "../../dispatch/task-augmentation.ts";
import { metaKey } from "../../meta/keys.ts";
import { fromServerResult } from "./result.ts";

const serverInfo = { name: "s", version: "1" };

it.each(["tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"])(
  "%s is stale at once and for its caller only",
  (method) => {
    expect(fromServerResult(method, {}, undefined)).toEqual({
      resultType: "complete",
      ttlMs: 0,
      cacheScope: "private",
    });
  },
);

it.each(["prompts/get", "completion/complete"])("%s carries no cache hints", (method) => {
  expect(fromServerResult(method, { a: 1 }, undefined)).toEqual({ a: 1, resultType: "complete" });
});

it("a legacy server cannot ask by result: whatever it says there, the result is complete", () => {
  expect(fromServerResult("prompts/get", { resultType: "input_required" }, undefined).resultType).toBe("complete");
});

it("the server's name joins its own _meta, which counts only when it is an object (A-35)", () => {
  const named = { [metaKey.serverInfo]: serverInfo };
  expect(fromServerResult("prompts/get", { _meta: { x: 1 } }, serverInfo)._meta).toEqual({ x: 1, ...named });
  expect(fromServerResult("prompts/get", { _meta: null }, serverInfo)._meta).toEqual(named);
  expect(fromServerResult("prompts/get", { _meta: "m" }, undefined)).not.toHaveProperty("_meta");
});

it("a tool result has content, of whatever kinds, and structured content of whatever value (E-69)", () => {
  const content = [{ type: "audio", data: "" }, { type: "hologram" }];
  expect(fromServerResult("tools/call", { content, structuredContent: null }, undefined)).toEqual({
    resultType: "complete",
    content,
    structuredContent: null,
  });
  expect(fromServerResult("tools/call", { structuredContent: 0 }, undefined).content).toEqual([]);
});

it("a tool shows nothing of its core tasks, and loses nothing else; the server's own object is not changed (A-53)", () => {
  const schema = { type: "object", $defs: { x: {} }, unknown: true };
  const legacy = { tools: [{ name: "a", inputSchema: schema, execution: { taskSupport: "optional" } }, "odd"] };
  const { tools } = fromServerResult("tools/list", legacy, undefined);
  expect(JSON.parse(JSON.stringify(tools))).toEqual([{ name: "a", inputSchema: schema }, "odd"]);
  expect(legacy.tools[0]).toHaveProperty("execution");
  expect(taskSupportOf((tools as object[])[0] as object)).toBe("optional");
});
