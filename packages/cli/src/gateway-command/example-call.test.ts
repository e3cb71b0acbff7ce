import type { Tool } from "@lethe/protocol";
import { describe, expect, it } from "vitest";
import { toExampleCall } from "./example-call.ts";

function toolOf(name: string, properties: object = {}, more: Partial<Tool> = {}): Tool {
  return { name, inputSchema: { type: "object", properties, required: Object.keys(properties) }, ...more };
}

const text = { type: "string" };

describe("the example call", () => {
  it("there is no example call without a tool", () => {
    expect(toExampleCall([])).toBeUndefined();
  });

  it.each([
    [
      "an echo, even beside other tools",
      [toolOf("a", {}, { annotations: { readOnlyHint: true } }), toolOf("up__echo")],
    ],
    [
      "what only reads, before what wants less",
      [toolOf("b"), toolOf("up__echo", { text }, { annotations: { readOnlyHint: true } })],
    ],
    ["what wants the least", [toolOf("b", { text, more: text }), toolOf("up__echo", { text })]],
  ])("the example call uses %s", (_, tools) => {
    expect(toExampleCall(tools)?.name).toBe("up__echo");
  });

  it.each<[schema: unknown, value: unknown]>([
    [{ type: "string" }, "hello"],
    [{ type: "string", enum: ["red", "blue"] }, "red"],
    [{ type: "string", default: "x", enum: ["y", "x"] }, "x"],
    [{ examples: [{ a: 1 }] }, { a: 1 }],
    [{ const: null }, null],
    [{ type: "integer", minimum: 10 }, 10],
    [{ type: "number" }, 1],
    [{ type: "boolean" }, true],
    [{ type: "array" }, []],
    [{ type: "object" }, {}],
    [true, "hello"],
  ])("the example value for %j is %j", (schema, value) => {
    expect(toExampleCall([toolOf("greet", { of: schema })])?.arguments).toEqual({ of: value });
  });

  it("optional arguments are omitted", () => {
    const inputSchema = { type: "object", properties: { text, more: text }, required: ["text"] } as const;
    expect(toExampleCall([{ name: "greet", inputSchema: { ...inputSchema, required: ["text"] } }])?.arguments).toEqual({
      text: "hello",
    });
  });
});
