import type { CallToolResult, CreateValidator, Dispatch, JsonObject, Tool } from "@lethe/protocol";
import { describe, expect, test } from "vitest";
import { createValidator } from "../../../server/src/features/json-validator.ts";
import { connect } from "./connect.ts";

const number = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };

interface FakeServer {
  tools: Partial<Tool>[];
  answer: Partial<CallToolResult>;
  ttlMs?: number;
}

async function start(server: FakeServer, validate: CreateValidator | "none" = createValidator) {
  const asked: string[] = [];
  const warnings: string[] = [];
  const dispatch: Dispatch = async ({ method }) => {
    const hints = { resultType: "complete", ttlMs: server.ttlMs ?? 60_000, cacheScope: "private" };
    if (method === "server/discover") return { ...hints, supportedVersions: ["2026-07-28"], capabilities: {} };
    asked.push(method);
    if (method === "tools/list") return { ...hints, tools: server.tools };
    return { resultType: "complete", content: [], ...server.answer };
  };
  const onWarning = (message: string) => warnings.push(message);
  const options = { onWarning, ...(validate !== "none" && { createValidator: validate }) };
  const client = await connect({ dispatch, info: { name: "fake" } }, options);
  return { client, asked, warnings };
}

describe("validating tool results against output schemas (E-69)", () => {
  test.each<[what: string, schema: JsonObject, structuredContent: unknown]>([
    ["an object", number, { n: 1 }],
    ["null", { type: "null" }, null],
    ["false", { type: "boolean" }, false],
    ["a list", { type: "array", items: { type: "number" } }, [1, 2]],
  ])("%s that fits is given", async (_what, outputSchema, structuredContent) => {
    const { client } = await start({ tools: [{ name: "t", outputSchema }], answer: { structuredContent } });
    expect((await client.callTool("t")).structuredContent).toEqual(structuredContent);
  });

  test.each<[what: string, answer: Partial<CallToolResult>, words: RegExp]>([
    ["what does not fit", { structuredContent: { n: "1" } }, /fake: structuredContent\/n of t: /],
    ["null in place of an object", { structuredContent: null }, /structuredContent of t: /],
    ["nothing at all", {}, /structuredContent of t: expected a value of its output schema, got nothing/],
  ])("%s is refused by name", async (_what, answer, words) => {
    const { client } = await start({ tools: [{ name: "t", outputSchema: number }], answer });
    const refused = client.callTool("t");
    await expect(refused).rejects.toMatchObject({ name: "TransportError", reason: "invalid" });
    await expect(refused).rejects.toThrow(words);
  });

  test("the error result of a tool needs no structured content", async () => {
    const { client, asked } = await start({ tools: [{ name: "t", outputSchema: number }], answer: { isError: true } });
    expect((await client.callTool("t")).isError).toBe(true);
    expect(asked).toEqual(["tools/call"]);
  });

  test("a tool that has no schema or is not listed may return anything", async () => {
    const { client, warnings } = await start({ tools: [{ name: "t" }], answer: { structuredContent: 1 } });
    await client.callTool("t");
    await client.callTool("hidden");
    expect(warnings).toEqual([]);
  });

  test("input requests are returned without validation", async () => {
    const tools = [{ name: "t", outputSchema: number }];
    const { client } = await start({ tools, answer: { resultType: "input_required", requestState: "s" } });
    expect(await client.callTool("t", {}, { manual: true })).toMatchObject({ requestState: "s" });
  });
});

describe("the schemas for validation", () => {
  test("schemas are listed once, with the first call", async () => {
    const server = { tools: [{ name: "t", outputSchema: number }], answer: { structuredContent: { n: 1 } }, ttlMs: 0 };
    const { client, asked } = await start(server);
    await Promise.all([client.callTool("t"), client.callTool("t")]);
    await client.callTool("t");
    expect(asked.filter((method) => method === "tools/list")).toHaveLength(1);
  });

  test("schemas are listed again before a result is rejected", async () => {
    const server = { tools: [{ name: "t", outputSchema: number }], answer: { structuredContent: { n: 1 } } };
    const { client, asked } = await start(server);
    await client.callTool("t");
    server.tools = [{ name: "t", outputSchema: { type: "string" } as unknown as typeof number }];
    Object.assign(server, { answer: { structuredContent: "one" } });
    expect((await client.callTool("t")).structuredContent).toBe("one");
    await expect(client.callTool("t")).resolves.toBeDefined();
    expect(asked.filter((method) => method === "tools/list")).toHaveLength(2);
  });

  test("an invalid schema is skipped with a warning", async () => {
    const outputSchema = { $ref: "https://elsewhere.example/schema.json" };
    const server = { tools: [{ name: "t", outputSchema }], answer: { structuredContent: 1 } };
    const { client, warnings } = await start(server);
    expect((await client.callTool("t")).structuredContent).toBe(1);
    expect(warnings).toEqual([expect.stringMatching(/what t of fake answers cannot be checked: \$ref .*elsewhere/)]);
  });

  test("a failure to list schemas does not discard a result", async () => {
    const broken: CreateValidator = () => {
      throw new Error("no such keyword");
    };
    const server = { tools: [{ name: "t", outputSchema: number }], answer: { structuredContent: 1 } };
    const { client, warnings } = await start(server, broken);
    expect((await client.callTool("t")).structuredContent).toBe(1);
    expect(warnings).toEqual(["what t of fake answers cannot be checked: no such keyword"]);
  });

  test("without a validator no schemas are listed", async () => {
    const server = { tools: [{ name: "t", outputSchema: number }], answer: { structuredContent: 1 } };
    const { client, asked } = await start(server, "none");
    await client.callTool("t");
    expect(asked).toEqual(["tools/call"]);
  });
});
