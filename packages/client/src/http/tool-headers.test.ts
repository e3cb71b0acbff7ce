import type { ModernRequest } from "@lethe/protocol";
import { expect, test, vi } from "vitest";
import { createToolHeaders } from "./tool-headers.ts";

const annotation = (type: string, header: string) => ({ type, "x-mcp-header": header });
const tool = (name: unknown, properties: object) => ({ name, inputSchema: { type: "object", properties } });
const page = (...tools: unknown[]) => ({ resultType: "complete", tools });

function call(name: string, args: object): ModernRequest {
  return { id: 1, method: "tools/call", params: { name, arguments: args } as never };
}

test("a tool's headers follow its newest listing", () => {
  const headers = createToolHeaders(vi.fn());
  expect(headers.of(call("t", { a: 1 }))).toBeUndefined();
  headers.learn(page(tool("t", { a: annotation("integer", "A") })));
  expect(headers.of(call("t", { a: 1 }))).toEqual({ "mcp-param-a": "1" });
  headers.learn(page(tool("t", { b: annotation("boolean", "B") })));
  expect(headers.of(call("t", { a: 1, b: false }))).toEqual({ "mcp-param-b": "false" });
  headers.learn(page(tool("t", {})));
  expect(headers.of(call("t", { a: 1 }))).toBeUndefined();
});

test("a page without invalid tools is returned unchanged", () => {
  const warn = vi.fn();
  const headers = createToolHeaders(warn);
  const good = page(tool("t", { a: annotation("string", "A") }), tool(5, {}), null, { name: "no schema" });
  expect(headers.learn(good)).toBe(good);
  expect(headers.learn({ resultType: "complete" })).toEqual({ resultType: "complete" });
  expect(warn).not.toHaveBeenCalled();
});

test("a skipped tool has no headers either (B-53)", () => {
  const warn = vi.fn();
  const headers = createToolHeaders(warn);
  headers.learn(page(tool("t", { a: annotation("string", "A") })));
  expect(headers.learn(page(tool("t", { a: annotation("string", "") })))).toEqual(page());
  expect(headers.of(call("t", { a: "x" }))).toBeUndefined();
  expect(warn).toHaveBeenCalledWith(expect.stringMatching(/"t".*x-mcp-header/));
});

test("an integer that a header cannot represent is not sent (J-43)", () => {
  const headers = createToolHeaders(vi.fn());
  headers.learn(page(tool("t", { a: annotation("integer", "A") })));
  expect(() => headers.of(call("t", { a: 2 ** 53 }))).toThrow(/2\^53/);
});

test("the oldest annotated tool is dropped above the limit", () => {
  const headers = createToolHeaders(vi.fn());
  const properties = { a: annotation("string", "A") };
  headers.learn(page(...Array.from({ length: 10_001 }, (_, index) => tool(`t${index}`, properties))));
  expect(headers.of(call("t0", { a: "x" }))).toBeUndefined();
  expect(headers.of(call("t10000", { a: "x" }))).toEqual({ "mcp-param-a": "x" });
});
