import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { pause } from "./pause.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a pause ends with its time and leaves no timer", async () => {
  const over = vi.fn();
  void pause(100, new AbortController().signal).then(over);
  await vi.advanceTimersByTimeAsync(99);
  expect(over).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(over).toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

test("a pause ends early when it is aborted, or at once if that came before", async () => {
  const stop = new AbortController();
  const paused = pause(1_000, stop.signal);
  stop.abort();
  await paused;
  await pause(1_000, stop.signal);
  await pause(0, new AbortController().signal);
  expect(vi.getTimerCount()).toBe(0);
});
