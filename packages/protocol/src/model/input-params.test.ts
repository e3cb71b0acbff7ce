import { expect, it } from "vitest";
import { answerUnder } from "./input-params.ts";

it("answerUnder returns own members only, and treats null as no response", () => {
  const responses = JSON.parse('{ "a": 0, "b": null, "__proto__": { "roots": [] } }');
  expect(answerUnder("a", responses)).toBe(0);
  expect(answerUnder("b", responses)).toBeUndefined();
  expect(answerUnder("c", responses)).toBeUndefined();
  expect(answerUnder("constructor", responses)).toBeUndefined();
  expect(answerUnder("__proto__", responses)).toEqual({ roots: [] });
  expect(answerUnder("a", undefined)).toBeUndefined();
});
