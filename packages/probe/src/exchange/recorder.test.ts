// The bound on what one probe sends: clean-up is part of it, and always has its share.
import { expect, it } from "vitest";
import { BudgetSpent, createRecorder } from "./recorder.ts";

it("numbers what begins, tells of it, and ends at the bound", () => {
  const told: string[] = [];
  const recorder = createRecorder({ maxRequests: 2, onProgress: (what) => told.push(what) });
  expect([recorder.begin("a"), recorder.begin("b")]).toEqual([1, 2]);
  expect(() => recorder.begin("c")).toThrow(BudgetSpent);
  expect(told).toEqual(["a", "b"]);
});

it("what is reserved is for cleaning up, and for nothing else", () => {
  const recorder = createRecorder({ maxRequests: 3 });
  recorder.begin("initialize");
  recorder.reserve();
  recorder.begin("tools/list");
  expect(() => recorder.begin("ping")).toThrow("the bound of 3 requests was reached");
  expect(recorder.begin("DELETE", { isCleanUp: true })).toBe(3);
  expect(() => recorder.begin("DELETE", { isCleanUp: true })).toThrow(BudgetSpent);
});

it("a clean-up that nothing was reserved for takes what is left", () => {
  const recorder = createRecorder({ maxRequests: 1 });
  expect(recorder.begin("DELETE", { isCleanUp: true })).toBe(1);
});
