import { expect, test } from "vitest";
import { createSingleFlight } from "./single-flight.ts";

test("callers that arrive while a task runs wait for that task (G-48)", async () => {
  const flight = createSingleFlight<number>();
  let runs = 0;
  const task = async () => ++runs;
  expect(await Promise.all([flight.join(task, undefined), flight.join(task, undefined)])).toEqual([1, 1]);
  expect(await flight.join(task, undefined)).toBe(2);
});

test("a failure reaches all current waiters and no later one", async () => {
  const flight = createSingleFlight<number>();
  const failing = () => Promise.reject(new Error("no"));
  const waiting = [flight.join(failing, undefined), flight.join(async () => 1, undefined)];
  for (const one of waiting) await expect(one).rejects.toThrow("no");
  expect(await flight.join(async () => 1, undefined)).toBe(1);
});

test("the task is aborted when the last waiter aborts, and the next caller starts a new one", async () => {
  const flight = createSingleFlight<number>();
  const signals: AbortSignal[] = [];
  const endless = (signal: AbortSignal) => {
    signals.push(signal);
    return new Promise<number>(() => {});
  };
  const [one, two] = [new AbortController(), new AbortController()];
  const first = flight.join(endless, one.signal);
  const second = flight.join(endless, two.signal);
  one.abort(new Error("one"));
  await expect(first).rejects.toThrow("one");
  expect(signals[0]?.aborted).toBe(false);
  two.abort(new Error("two"));
  await expect(second).rejects.toThrow("two");
  expect(signals[0]?.aborted).toBe(true);
  expect(await flight.join(async () => 3, undefined)).toBe(3);
});
