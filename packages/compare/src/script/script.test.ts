// Tests of parseScript, including its error messages.
import { expect, it } from "vitest";
import { demoScript } from "./built-in-scripts.ts";
import { parseScript } from "./script.ts";

it("parseScript accepts a script that was written as JSON", () => {
  expect(parseScript(JSON.parse(JSON.stringify(demoScript)))).toEqual(demoScript);
});

it("parseScript names a step after its tool", () => {
  const steps = [{ feature: "list" }, { feature: "call", tool: "greet" }];
  expect(parseScript({ steps }).steps.map(({ name }) => name)).toEqual(["list", "greet"]);
});

it.each([
  [[], "a script must be an object, got an array"],
  [{ steps: 1 }, "steps must be an array, got a number"],
  [{ steps: [] }, "steps must have one step or more"],
  [{ steps: [1] }, "steps[0] must be an object, got a number"],
  [{ steps: [{ feature: "magic" }] }, "steps[0].feature must be one of list, call, sampling"],
  [{ steps: [{ feature: "call" }] }, "steps[0].tool must be the name of a tool, got nothing"],
  [{ steps: [{ feature: "call", tool: 1 }] }, "steps[0].tool must be a string"],
  [{ steps: [{ feature: "call", tool: "a", arguments: [] }] }, "steps[0].arguments must be an object"],
])("parseScript rejects %j with the message: %s", (value, message) => {
  expect(() => parseScript(value)).toThrow(message);
});
