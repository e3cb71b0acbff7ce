import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Deadline } from "./deadline.ts";
import { TransportError } from "./transport-error.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const limits = { timeoutMs: 100, maxTotalMs: 1000 };

test("inactivity ends a request, and the error names its duration (E-36)", () => {
  const deadline = new Deadline("tools/call to s", limits, undefined);
  const onAbort = vi.fn();
  deadline.addEventListener("abort", onAbort);
  vi.advanceTimersByTime(99);
  expect(deadline.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(onAbort).toHaveBeenCalledOnce();
  expect(deadline.reason).toMatchObject({ reason: "timeout", message: "tools/call to s: silence for 100 ms" });
});

test("every message restarts the inactivity limit but not the total limit (E-36)", () => {
  const deadline = new Deadline("x", limits, undefined);
  for (let i = 0; i < 19; i++) {
    vi.advanceTimersByTime(50);
    deadline.touch();
  }
  expect(deadline.aborted).toBe(false);
  expect(deadline.remainingMs()).toBe(50);
  vi.advanceTimersByTime(50);
  expect(deadline.reason).toMatchObject({ reason: "timeout", message: "x: no result within 1000 ms" });
});

test("a request without limits has no timer, and limits beyond the range of timers do not fire at once", () => {
  new Deadline("x", { timeoutMs: Number.POSITIVE_INFINITY, maxTotalMs: Number.POSITIVE_INFINITY }, undefined);
  expect(vi.getTimerCount()).toBe(0);
  const long = new Deadline("x", { timeoutMs: 2 ** 40, maxTotalMs: 2 ** 40 }, undefined);
  vi.advanceTimersByTime(2 ** 31);
  expect(long.aborted).toBe(false);
  long.clear();
});

test("the caller's signal ends a request, with the signal's reason as the cause", () => {
  const controller = new AbortController();
  const deadline = new Deadline("x", limits, controller.signal);
  controller.abort("enough");
  expect(deadline.reason).toMatchObject({ reason: "cancelled", cause: "enough" });
  expect(vi.getTimerCount()).toBe(0);
});

test("the TransportError of an aborted signal is passed on", () => {
  const ours = new TransportError("timeout", "the interaction took too long");
  expect(new Deadline("x", limits, AbortSignal.abort(ours)).reason).toBe(ours);
});

test("an ended request leaves no timer, no listener and no second reason", () => {
  const controller = new AbortController();
  const remove = vi.spyOn(controller.signal, "removeEventListener");
  const deadline = new Deadline("x", limits, controller.signal);
  deadline.clear();
  expect(vi.getTimerCount()).toBe(0);
  expect(remove).toHaveBeenCalledOnce();
  expect(deadline.isOver).toBe(true);
  const onAbort = vi.fn();
  deadline.addEventListener("abort", onAbort);
  deadline.abort("first");
  deadline.abort("second");
  expect(deadline.reason).toBe("first");
  expect(onAbort).toHaveBeenCalledOnce();
});
