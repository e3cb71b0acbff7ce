import { describe, expect, it } from "vitest";
import { type ItemList, toValidItem } from "./valid-items.ts";

function read(list: ItemList, entry: unknown) {
  const problems: string[] = [];
  return { item: toValidItem(list, entry, (problem) => problems.push(problem)), problems };
}

const inputSchema = { type: "object", properties: { id: { type: "number" } }, required: ["id"] };

describe("valid list entries", () => {
  it.each<[ItemList, object]>([
    ["tools", { name: "a", title: "A", inputSchema, annotations: { readOnlyHint: true }, _meta: {}, extra: 1 }],
    ["tools", { name: "b", inputSchema, outputSchema: { type: "array" }, icons: [{ src: "x:" }] }],
    ["tools", { name: "c", inputSchema: { type: "object", properties: { any: true } } }],
    ["prompts", { name: "a", arguments: [{ name: "x", required: true }] }],
    ["resources", { uri: "x:/", name: "x", size: 4, annotations: { audience: ["user"], priority: 0.5 } }],
    ["resourceTemplates", { uriTemplate: "x:/{y}", name: "x" }],
  ])("returns a valid entry of %s as the same object (A-53)", (list, entry) => {
    expect(read(list, entry)).toEqual({ item: entry, problems: [] });
    expect(read(list, entry).item).toBe(entry);
  });
});

describe("invalid list entries", () => {
  it.each<[ItemList, unknown, string]>([
    ["tools", null, "an entry of its tools is left out: it has no name"],
    ["tools", 7, "an entry of its tools is left out: it has no name"],
    ["tools", { name: 5, inputSchema }, "an entry of its tools is left out: it has no name"],
    ["prompts", { name: "" }, "an entry of its prompts is left out: it has no name"],
    ["resources", { name: "x" }, "an entry of its resources is left out: it has no uri"],
    ["resourceTemplates", { uri: "x:" }, "an entry of its resourceTemplates is left out: it has no uriTemplate"],
    ["tools", { name: "a" }, "tool a is left out: its inputSchema is no object"],
    ["tools", { name: "a", inputSchema: [] }, "tool a is left out: its inputSchema is no object"],
    [
      "tools",
      { name: "a", inputSchema: { type: "array" } },
      'tool a is left out: the type of its inputSchema is not "object"',
    ],
    [
      "tools",
      { name: "a", inputSchema: { type: "object", properties: { x: "string" } } },
      "tool a is left out: the properties of its inputSchema are no schemas",
    ],
    [
      "tools",
      { name: "a", inputSchema: { type: "object", required: [1] } },
      "tool a is left out: what its inputSchema requires are no names",
    ],
  ])("leaves out and reports an unusable entry of %s: %j", (list, entry, problem) => {
    expect(read(list, entry)).toEqual({ item: undefined, problems: [problem] });
  });
});

it("drops invalid optional members with a report, and null members without one", () => {
  expect(read("tools", { name: "a", description: 5, title: null, annotations: { title: 1 }, inputSchema })).toEqual({
    item: { name: "a", inputSchema },
    problems: ["tool a is offered without its invalid members: description, annotations"],
  });
});

it("adds type object to a schema without a type (E-67) and names a nameless resource after its URI", () => {
  expect(read("tools", { name: "a", inputSchema: {} }).item).toEqual({ name: "a", inputSchema: { type: "object" } });
  expect(read("resources", { uri: "x:/1" }).item).toEqual({ uri: "x:/1", name: "x:/1" });
});
