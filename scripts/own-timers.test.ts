// Timers of another test file are not on the fake clock of this one.
import { setTimeout as pass } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { asFile } from "./own-timers.ts";

afterEach(() => void vi.useRealTimers());

test("a timer of another file is not counted and runs on the real clock", async () => {
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

test("another file does not advance the fake clock", async () => {
  vi.useFakeTimers();
  const count = vi.fn();
  setTimeout(count, 10);
  await asFile("other.test.ts", async () => {
    vi.advanceTimersByTime(20);
    await vi.advanceTimersByTimeAsync(20);
    vi.runAllTimers();
  });
  expect(count).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(10);
  expect(count).toHaveBeenCalledTimes(1);
});

test("a timer of the same file is counted, whether a test or the file sets it", () => {
  vi.useFakeTimers();
  const count = vi.fn();
  setTimeout(count, 10);
  setInterval(count, 10);
  setImmediate(count);
  expect(vi.getTimerCount()).toBe(3);
  vi.advanceTimersByTime(10);
  expect(count).toHaveBeenCalledTimes(3);
});

test("the real clock returns after the fake one, and functions that are not faked stay real", () => {
  const real = setTimeout;
  vi.useFakeTimers({ toFake: ["Date"] });
  expect(setTimeout).toBe(real);
  vi.useFakeTimers();
  expect(setTimeout).not.toBe(real);
  vi.useRealTimers();
  expect(setTimeout).toBe(real);
});
