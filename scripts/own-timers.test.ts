// What another file has left running is not on this one's fake clock.
import { setTimeout as pass } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { asFile } from "./own-timers.ts";

afterEach(() => void vi.useRealTimers());

test("a timer that another file's work sets is not counted, and runs on the real clock", async () => {
  let polls = 0;
  const poll = (): void => {
    polls += 1;
    if (polls < 3) setTimeout(poll, 1);
  };
  asFile("other.test.ts", () => setTimeout(poll, 1));
  vi.useFakeTimers();
  while (polls < 3) {
    expect(vi.getTimerCount()).toBe(0);
    await pass(1);
  }
});

test("a timer of its own is counted, whether a test or the file itself set it", () => {
  vi.useFakeTimers();
  const count = vi.fn();
  setTimeout(count, 10);
  setInterval(count, 10);
  setImmediate(count);
  expect(vi.getTimerCount()).toBe(3);
  vi.advanceTimersByTime(10);
  expect(count).toHaveBeenCalledTimes(3);
});

test("the real clock is back when the fake one is put away, and what was not to be fake never was", () => {
  const real = setTimeout;
  vi.useFakeTimers({ toFake: ["Date"] });
  expect(setTimeout).toBe(real);
  vi.useFakeTimers();
  expect(setTimeout).not.toBe(real);
  vi.useRealTimers();
  expect(setTimeout).toBe(real);
});
