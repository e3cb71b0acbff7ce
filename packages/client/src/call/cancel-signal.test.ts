import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { orCancelled, orGivenUp, pause, toAbortSignal } from "./cancel-signal.ts";
import { Deadline } from "./deadline.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const endless = { timeoutMs: Number.POSITIVE_INFINITY, maxTotalMs: Number.POSITIVE_INFINITY };

test("a native signal follows a deadline, even one that has already passed", () => {
  const deadline = new Deadline("x", endless, undefined);
  const signal = toAbortSignal(deadline);
  expect(signal.aborted).toBe(false);
  deadline.abort("over");
  expect(signal.reason).toBe("over");
  expect(toAbortSignal(deadline).reason).toBe("over");
});

test("a native signal is returned unchanged", () => {
  const { signal } = new AbortController();
  expect(toAbortSignal(signal)).toBe(signal);
});

test("a wait ends with the signal's reason", async () => {
  const controller = new AbortController();
  const waiting = orCancelled(new Promise(() => {}), controller.signal);
  controller.abort("enough");
  await expect(waiting).rejects.toBe("enough");
  await expect(orCancelled(Promise.resolve(1), controller.signal)).rejects.toBe("enough");
});

test("a finished wait leaves no listener", async () => {
  const { signal } = new AbortController();
  const remove = vi.spyOn(signal, "removeEventListener");
  expect(await orCancelled(Promise.resolve(1), signal)).toBe(1);
  expect(remove).toHaveBeenCalledOnce();
});

test("a pause ends on time, or with the signal and without its timer", async () => {
  const controller = new AbortController();
  const over = pause(100, controller.signal);
  await vi.advanceTimersByTimeAsync(100);
  await over;
  const broken = pause(100, controller.signal);
  controller.abort("enough");
  await expect(broken).rejects.toBe("enough");
  expect(vi.getTimerCount()).toBe(0);
});

test("a pause beyond the range of timers is capped at their longest delay", async () => {
  let isOver = false;
  const controller = new AbortController();
  const endless = pause(Number.MAX_SAFE_INTEGER, controller.signal).then(() => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(1_000_000);
  expect(isOver).toBe(false);
  controller.abort("enough");
  await expect(endless).rejects.toBe("enough");
});

test("the error of a cancelled wait names what was cancelled; other errors are unchanged", async () => {
  const controller = new AbortController();
  const waiting = orGivenUp("connecting to x", new Promise(() => {}), controller.signal);
  controller.abort("enough");
  await expect(waiting).rejects.toMatchObject({
    reason: "cancelled",
    message: "connecting to x: cancelled by the caller",
    cause: "enough",
  });
  const failure = new Error("no");
  await expect(orGivenUp("x", Promise.reject(failure), new AbortController().signal)).rejects.toBe(failure);
  await expect(orGivenUp("x", Promise.reject(failure), undefined)).rejects.toBe(failure);
});
