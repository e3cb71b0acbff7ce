import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { StallDetector } from "./stall-detector.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** Passes time without running timers, as in a suspended process. */
function suspend(ms: number): void {
  const now = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => now + ms);
}

test("a process that runs all the time has no stale input", () => {
  const detector = new StallDetector();
  vi.advanceTimersByTime(10_000);
  expect(detector.isStale).toBe(false);
  detector.close();
  expect(vi.getTimerCount()).toBe(0);
});

test("input is stale directly after a stall, even before a timer has run", () => {
  const detector = new StallDetector();
  suspend(30_000);
  expect(detector.isStale).toBe(true);
  detector.close();
});

test("input is stale for one second after a stall that a timer noticed", () => {
  const detector = new StallDetector();
  suspend(30_000);
  vi.advanceTimersByTime(250);
  expect(detector.isStale).toBe(true);
  suspend(1_001);
  expect(detector.isStale).toBe(false);
  detector.close();
});

test("a delay of less than a second is no stall", () => {
  const detector = new StallDetector();
  suspend(1_000);
  expect(detector.isStale).toBe(false);
  detector.close();
});
