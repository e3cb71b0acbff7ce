// Tests of the clock by which processes coordinate.
import { expect, test, vi } from "vitest";
import { every, pause, systemClock } from "./clock.ts";

test("`every` runs its callback periodically until it is cancelled", async () => {
  let runs = 0;
  const cancel = every(systemClock, 1, () => {
    runs += 1;
    if (runs === 3) cancel();
  });
  await vi.waitFor(() => expect(runs).toBe(3));
  await pause(systemClock, 20);
  expect(runs).toBe(3);
});

test("a cancelled timer never runs", async () => {
  let hasRun = false;
  systemClock.after(1, () => {
    hasRun = true;
  })();
  await pause(systemClock, 20);
  expect(hasRun).toBe(false);
});

test("`now` measures durations and `wallTime` follows the calendar", async () => {
  const startedAt = systemClock.now();
  await pause(systemClock, 5);
  expect(systemClock.now() - startedAt).toBeGreaterThanOrEqual(4);
  expect(Math.abs(systemClock.wallTime() - Date.now())).toBeLessThan(1_000);
});
