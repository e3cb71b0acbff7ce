import { expect, it } from "vitest";
import { toPromptUsage, toToolUsage } from "./usage.ts";

it("the arguments of a tool are shown as they are written, required ones first", () => {
  const schema = {
    type: "object",
    properties: {
      tags: { type: "array", items: { type: "string" } },
      a: { type: "number" },
      size: { enum: ["s", "m", "l"] },
      address: { $ref: "#/$defs/address" },
      any: {},
      maybe: { anyOf: [{ type: "integer" }, { type: "null" }] },
    },
    required: ["a", "size"],
    $defs: { address: { type: "object" } },
  };
  expect(toToolUsage(schema)).toBe(
    "a=<number> size=s|m|l [tags[]=<text>] [address:=<JSON>] [any=<any>] [maybe=<integer|null>]",
  );
  expect(toToolUsage({ type: "object" })).toBe("");
});

it("control characters and endless lists of a server do not reach the terminal", () => {
  const properties = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`a${index}\u001b[2J`, {}]));
  const usage = toToolUsage({ properties });
  expect(usage).not.toContain("\u001b");
  expect(usage).toMatch(/…$/);
  expect(toToolUsage({ properties: { a: { $ref: "#/properties/a" } } })).toBe("[a=<any>]");
});

it("the arguments of a prompt are text", () => {
  expect(toPromptUsage([{ name: "city", required: true }, { name: "state" }])).toBe("city=<text> [state=<text>]");
});
