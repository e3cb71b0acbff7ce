import { expect, it } from "vitest";
import { parseOptions } from "./options.ts";

it("a table tests the own clone unless another one is given", () => {
  expect(parseOptions(["table", "--only", "kill", "--only", "term"], "/own")).toMatchObject({
    ...{
      command: "table",
      only: ["kill", "term"],
      clone: "/own",
      out: "/own/results/faults",
      repeat: 1,
      balancer: "nginx",
    },
  });
  expect(parseOptions(["table", "--before", "/other"], "/own").clone).toBe("/other");
});

it("a history gets a new seed unless one is given", () => {
  expect(parseOptions(["history"], "/own")).toMatchObject({ minutes: 10, seed: expect.any(Number) });
  expect(parseOptions(["history", "--seed", "17", "--minutes", "0.5"], "/own")).toMatchObject({
    minutes: 0.5,
    seed: 17,
  });
});

it("an idle run has 3,000 sessions unless it gets a number", () => {
  expect(parseOptions(["idle"], "/own")).toMatchObject({ sessions: 3_000, idleSeconds: 60, rate: 50 });
  expect(parseOptions(["idle", "--sessions", "300"], "/own")).toMatchObject({ command: "idle", sessions: 300 });
});

it.each([
  [["tables"], "expected table, history or idle"],
  [[], "expected table, history or idle"],
  [["table", "kill"], "unexpected argument kill"],
  [["history", "--minutes", "soon"], "--minutes must be a number above 0, got soon"],
  [["table", "--balancer", "envoy"], "--balancer must be nginx or haproxy, got envoy"],
  [["history", "--fast"], "Unknown option '--fast'"],
])("rejects the command line %j", (args, message) => {
  expect(() => parseOptions(args, "/own")).toThrow(message);
});
