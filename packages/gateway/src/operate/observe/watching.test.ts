// Which requests have their steps recorded.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Watching } from "./watching.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("records the steps of requests for a minute after an administrator looked", () => {
  const watching = new Watching();
  expect(watching.recordsNext()).toBe(false);
  watching.look();
  vi.advanceTimersByTime(59_000);
  expect(watching.recordsNext()).toBe(true);
  watching.look();
  vi.advanceTimersByTime(59_000);
  expect(watching.recordsNext()).toBe(true);
  vi.advanceTimersByTime(1_000);
  expect(watching.recordsNext()).toBe(false);
});

it("records the steps of at most 250 requests a second", () => {
  let now = 5_000;
  const watching = new Watching(() => now);
  watching.look();
  const recorded = () => Array.from({ length: 400 }, () => watching.recordsNext()).filter(Boolean).length;
  expect(recorded()).toBe(250);
  now += 1_000;
  expect(recorded()).toBe(250);
  watching.stop();
});
