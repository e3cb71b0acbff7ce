import { expect, it } from "vitest";
import { toPromptResult } from "./prompt-result.ts";

it("a full prompt result gets the type complete, and its description overrides that of the definition (E-82)", () => {
  const returned = { resultType: "task", messages: [], _meta: { a: 1 } };
  const complete = { ...returned, resultType: "complete" };
  expect(toPromptResult(returned, undefined)).toEqual(complete);
  expect(toPromptResult(returned, "defined")).toEqual({ ...complete, description: "defined" });
  expect(toPromptResult({ ...returned, description: "own" }, "defined")).toEqual({ ...complete, description: "own" });
});
