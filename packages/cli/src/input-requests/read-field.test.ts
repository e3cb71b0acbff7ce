import type { FieldSchema } from "@lethe/protocol";
import { describe, expect, it } from "vitest";
import { readField } from "./read-field.ts";

const sizes = [
  { const: "s", title: "Small" },
  { const: "l", title: "Large" },
];

describe("typed text becomes a value (E-86)", () => {
  it.each<[what: string, schema: FieldSchema, text: string, value: unknown]>([
    ["a text", { type: "string" }, "1", "1"],
    ["a number", { type: "number" }, "-1.5e2", -150],
    ["an integer", { type: "integer" }, "7", 7],
    ["yes", { type: "boolean" }, "Y", true],
    ["no", { type: "boolean" }, "false", false],
    ["a choice by its number", { type: "string", enum: ["a", "b"] }, "2", "b"],
    ["a choice by its value", { type: "string", enum: ["a", "b"] }, "B", "b"],
    ["a choice by its title", { type: "string", oneOf: sizes }, "large", "l"],
    ["a choice by its old title", { type: "string", enum: ["s"], enumNames: ["Small"] }, "small", "s"],
    ["a choice that is a number, not a place", { type: "string", enum: ["2", "1"] }, "2", "2"],
    ["a choice that differs in case only", { type: "string", enum: ["A", "a"] }, "a", "a"],
    ["several choices", { type: "array", items: { enum: ["a", "b", "c"] } }, "c, 1", ["c", "a"]],
    ["several titled choices", { type: "array", items: { anyOf: sizes } }, "Small,2", ["s", "l"]],
  ])("%s", (_what, schema, text, value) => {
    expect(readField(schema, text)).toEqual({ value });
  });

  it.each<[what: string, schema: FieldSchema, text: string]>([
    ["words for a number", { type: "number" }, "many"],
    ["maybe", { type: "boolean" }, "maybe"],
    ["a choice that there is not", { type: "string", enum: ["a"] }, "2"],
    ["the choice before the first", { type: "string", enum: ["a"] }, "0"],
    ["one wrong choice among several", { type: "array", items: { enum: ["a"] } }, "a,x"],
  ])("%s is rejected with a message", (_what, schema, text) => {
    expect(readField(schema, text)).toEqual({ problem: expect.any(String) });
  });
});
