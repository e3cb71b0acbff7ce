// The lease of a worker on a clock of the test.
import { expect, it } from "vitest";
import type { Clock } from "../clock/clock.ts";
import { WorkerLease } from "./worker-lease.ts";

function createLease() {
  let now = 1_000;
  const clock: Clock = { now: () => now, wallTime: () => 0, after: () => () => {} };
  return { lease: new WorkerLease(clock, 300), at: (time: number) => (now = time) };
}

it("a lease is invalid until its first renewal succeeds, and is counted from before the renewal was sent", () => {
  const { lease, at } = createLease();
  expect([lease.isValid, lease.isDue]).toEqual([false, true]);
  at(1_200);
  lease.renewed(1_000);
  expect([lease.isValid, lease.isDue]).toEqual([true, true]);
  at(1_299);
  expect(lease.isValid).toBe(true);
  at(1_300);
  expect(lease.isValid).toBe(false);
});

it("a renewal whose answer took longer than the lease does not make it valid, and the next one does", async () => {
  const { lease, at } = createLease();
  let isSafe = false;
  const waiting = lease.whenRenewed().then(() => {
    isSafe = true;
  });
  at(1_500);
  lease.renewed(1_100);
  await Promise.resolve();
  expect([lease.isValid, isSafe]).toEqual([false, false]);
  lease.renewed(1_450);
  await waiting;
  expect(isSafe).toBe(true);
});

it("the end of a worker rejects steps that wait for its lease", async () => {
  const { lease } = createLease();
  const waiting = lease.whenRenewed();
  lease.end();
  await expect(waiting).rejects.toThrow("closing");
});
