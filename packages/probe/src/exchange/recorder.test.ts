// The limit on the requests of one probe. Clean-up counts, and its requests are reserved.
import { expect, it } from "vitest";
import { BudgetSpent, createRecorder } from "./recorder.ts";

it("numbers requests, reports progress, and throws at the limit", () => {
  const told: string[] = [];
  const recorder = createRecorder({ maxRequests: 2, onProgress: (what) => told.push(what) });
  expect([recorder.begin("a"), recorder.begin("b")]).toEqual([1, 2]);
  expect(() => recorder.begin("c")).toThrow(BudgetSpent);
  expect(told).toEqual(["a", "b"]);
});

it("only clean-up may use a reserved request", () => {
  const recorder = createRecorder({ maxRequests: 3 });
  recorder.begin("initialize");
  recorder.reserve();
  recorder.begin("tools/list");
  expect(() => recorder.begin("ping")).toThrow("the limit of 3 requests was reached");
  expect(recorder.begin("DELETE", { isCleanUp: true })).toBe(3);
  expect(() => recorder.begin("DELETE", { isCleanUp: true })).toThrow(BudgetSpent);
});

it("a clean-up without a reservation uses the remaining requests", () => {
  const recorder = createRecorder({ maxRequests: 1 });
  expect(recorder.begin("DELETE", { isCleanUp: true })).toBe(1);
});
