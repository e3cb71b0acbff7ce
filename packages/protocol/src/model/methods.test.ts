// The table of methods: what offers each method, what it names, and how clients may treat it.
import { describe, expect, it } from "vitest";
import {
  isCacheable,
  isInputMethod,
  isOffered,
  isRepeatable,
  isTaskMethod,
  method,
  publicTargetOf,
  targetNameOf,
} from "./methods.ts";

const tasks = { extensions: { "io.modelcontextprotocol/tasks": {} } };
const all = Object.values(method);

describe("isOffered", () => {
  it.each([
    ["tools/call", { tools: {} }],
    ["prompts/get", { prompts: {} }],
    ["resources/templates/list", { resources: {} }],
    ["completion/complete", { completions: {} }],
    ["tasks/get", tasks],
    ["subscriptions/listen", { tools: { listChanged: true } }],
    ["subscriptions/listen", { resources: { subscribe: true } }],
    ["subscriptions/listen", tasks],
  ])("%s is offered by the capabilities %j and by none else", (name, capabilities) => {
    expect(isOffered(name, capabilities)).toBe(true);
    expect(isOffered(name, {})).toBe(false);
    expect(isOffered(name, { extensions: {}, logging: {} })).toBe(false);
  });

  it("server/discover and methods outside of the model need no capability", () => {
    expect([isOffered("server/discover", {}), isOffered("acme/do", {})]).toEqual([true, true]);
  });
});

it("a target is the string member that the method defines, and task ids are not public", () => {
  const params = { name: "n", uri: "u:1", taskId: "t" };
  expect(all.map((name) => targetNameOf(name, params)).filter(Boolean)).toEqual(["n", "n", "u:1", "t", "t", "t"]);
  expect(all.map((name) => publicTargetOf(name, params)).filter(Boolean)).toEqual(["n", "n", "u:1"]);
  expect(targetNameOf("tools/call", { name: 1 })).toBeUndefined();
});

it("only methods that change nothing are repeatable or cacheable", () => {
  const changing = ["tools/call", "tasks/update", "tasks/cancel", "subscriptions/listen", "acme/do"];
  expect(changing.filter((name) => isRepeatable(name) || isCacheable(name))).toEqual([]);
  expect(all.filter((name) => isRepeatable(name) && !isCacheable(name))).toEqual([
    "prompts/get",
    "completion/complete",
    "tasks/get",
  ]);
});

it("tools, prompts and resources may request input, and three methods belong to the tasks extension", () => {
  expect(all.filter(isInputMethod)).toEqual(["tools/call", "prompts/get", "resources/read"]);
  expect(all.filter(isTaskMethod)).toEqual(["tasks/get", "tasks/update", "tasks/cancel"]);
});
