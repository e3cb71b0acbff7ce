// Requests that take too long (E-36).
import type { Dispatch } from "@lethe/protocol";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RecordingExchange, requestOf } from "../testing/recording-exchange.ts";
import { timeout } from "./timeout.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const call = requestOf("tools/call", { name: "slow" });
const never = new Promise<never>(() => {});
const progress = { jsonrpc: "2.0", method: "notifications/progress" } as const;

test("a request over its time rejects with -32603, and its signal is aborted with that error (E-36)", async () => {
  let signal: AbortSignal | undefined;
  const dispatch = timeout(50)((_, exchange) => {
    signal = exchange.signal;
    return never;
  });
  const outcome = dispatch(call, new RecordingExchange()).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(49);
  expect(signal?.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  const error = await outcome;
  expect(error).toMatchObject({ code: -32603, message: "request timed out after 50 ms" });
  expect(signal?.reason).toBe(error);
});

test("a signal first asked for after the time is already aborted", async () => {
  let late: AbortSignal | undefined;
  const dispatch = timeout(50)(async (_, exchange) => {
    await new Promise((resolve) => setTimeout(resolve, 60));
    late = exchange.signal;
    return never;
  });
  dispatch(call, new RecordingExchange()).catch(() => {});
  await vi.advanceTimersByTimeAsync(60);
  expect(late?.aborted).toBe(true);
});

test("nothing more is notified after the time (B-20)", async () => {
  const exchange = new RecordingExchange();
  const dispatch = timeout(50)(async (_, timed) => {
    timed.notify(progress);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(timed.notify(progress)).toBe(true);
    await timed.drained();
    return never;
  });
  dispatch(call, exchange).catch(() => {});
  await vi.advanceTimersByTimeAsync(60);
  expect(exchange.sent).toEqual([progress]);
});

test("an answer in time is passed on and leaves no timer", async () => {
  const result = { resultType: "complete" };
  expect(await timeout(50)(async () => result)(call, new RecordingExchange())).toBe(result);
  await expect(timeout(50)(() => Promise.reject(new Error("x")))(call, new RecordingExchange())).rejects.toThrow("x");
  expect(vi.getTimerCount()).toBe(0);
});

test("an endless limit does not fire at once", async () => {
  const answer = timeout(Number.POSITIVE_INFINITY)(async () => {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    return { resultType: "complete" };
  })(call, new RecordingExchange());
  await vi.advanceTimersByTimeAsync(1000);
  expect(await answer).toEqual({ resultType: "complete" });
});

test("the caller going away aborts the signal too", () => {
  const exchange = new RecordingExchange({ id: "alice" });
  let signal: AbortSignal | undefined;
  const dispatch = timeout(50)((_, timed) => {
    signal = timed.signal;
    expect(timed.caller?.id).toBe("alice");
    return never;
  });
  void dispatch(call, exchange);
  exchange.leave();
  expect(signal?.aborted).toBe(true);
});

test("who called, and over what, stays the same", async () => {
  for (const whole of [new RecordingExchange(undefined, { host: "s" }), new RecordingExchange({ id: "alice" })]) {
    await timeout(50)(async (_, { caller, headers, isAnonymous }) => {
      expect([caller, headers, isAnonymous]).toEqual([whole.caller, whole.headers, whole.isAnonymous]);
      return { resultType: "complete" };
    })(call, whole);
  }
});

test("a subscription, and a request without a limit, keep their own exchange and no timer (E-18)", () => {
  const exchange = new RecordingExchange();
  const next = vi.fn<Dispatch>(() => never);
  const limited = timeout({ ms: (request) => (request.params.name === "slow" ? undefined : 50) })(next);
  void limited(requestOf("subscriptions/listen"), exchange);
  void limited(call, exchange);
  expect(next.mock.calls.map(([, given]) => given === exchange)).toEqual([true, true]);
  expect(vi.getTimerCount()).toBe(0);
  void limited(requestOf("tools/call", { name: "quick" }), exchange);
  expect(vi.getTimerCount()).toBe(1);
});
