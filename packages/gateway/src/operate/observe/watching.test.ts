// When the steps of requests are recorded.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Watching } from "./watching.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("lasts for a minute after an administrator looked", () => {
  const watching = new Watching();
  expect(watching.isOn).toBe(false);
  watching.look();
  vi.advanceTimersByTime(59_000);
  expect(watching.isOn).toBe(true);
  watching.look();
  vi.advanceTimersByTime(59_000);
  expect(watching.isOn).toBe(true);
  vi.advanceTimersByTime(1_000);
  expect(watching.isOn).toBe(false);
});

it("lasts as long as an administrator follows the gateway", () => {
  const watching = new Watching();
  const [first, second] = [watching.follow(), watching.follow()];
  first();
  first();
  expect(watching.isOn).toBe(true);
  second();
  expect(watching.isOn).toBe(false);
});
