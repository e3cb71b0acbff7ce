// Work that is done in steps, one in each turn of the event loop.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { spreadOverTurns } from "./spread-over-turns.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Records the numbers that wait, two in each step. */
function recorder(waiting: number[]) {
  const done: number[] = [];
  const work = spreadOverTurns(function* () {
    while (waiting.length > 0) {
      done.push(...waiting.splice(0, 2));
      if (done.includes(-1)) throw new Error("a step failed");
      yield;
    }
  });
  return { done, work };
}

it("does the first step at once and each other step in a later turn", () => {
  const { done, work } = recorder([1, 2, 3, 4, 5]);
  work.start();
  expect(done).toEqual([1, 2]);
  vi.advanceTimersToNextTimer();
  expect(done).toEqual([1, 2, 3, 4]);
  vi.runAllTimers();
  expect(done).toEqual([1, 2, 3, 4, 5]);
});

it("does not begin again while steps are due, and begins again after the last one", () => {
  const waiting = [1, 2, 3];
  const { done, work } = recorder(waiting);
  work.start();
  work.start();
  expect(done).toEqual([1, 2]);
  vi.runAllTimers();
  waiting.push(4);
  work.start();
  expect(done).toEqual([1, 2, 3, 4]);
  vi.runAllTimers();
});

it("finishes at once on demand, and nothing remains for a later turn", () => {
  const { done, work } = recorder([1, 2, 3, 4, 5]);
  work.start();
  work.finish();
  expect(done).toEqual([1, 2, 3, 4, 5]);
  vi.runAllTimers();
  expect(done).toHaveLength(5);
});

it("begins again after a step that failed", () => {
  const waiting = [-1];
  const { done, work } = recorder(waiting);
  expect(() => work.start()).toThrow("a step failed");
  done.length = 0;
  waiting.push(1);
  work.start();
  expect(done).toEqual([1]);
  vi.runAllTimers();
});
