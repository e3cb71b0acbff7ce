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

test("rejects a request over its time limit with -32603 and aborts its signal with that error (E-36)", async () => {
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

test("returns an aborted signal if the handler first reads it after the time limit", async () => {
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

test("sends no notification after the time limit (B-20)", async () => {
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

test("forwards an answer in time and leaves no timer", async () => {
  const result = { resultType: "complete" };
  expect(await timeout(50)(async () => result)(call, new RecordingExchange())).toBe(result);
  await expect(timeout(50)(() => Promise.reject(new Error("x")))(call, new RecordingExchange())).rejects.toThrow("x");
  expect(vi.getTimerCount()).toBe(0);
});

test("an infinite limit never fires", async () => {
  const answer = timeout(Number.POSITIVE_INFINITY)(async () => {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    return { resultType: "complete" };
  })(call, new RecordingExchange());
  await vi.advanceTimersByTimeAsync(1000);
  expect(await answer).toEqual({ resultType: "complete" });
});

test("aborts the signal when the caller disconnects", () => {
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

test("keeps the caller and the headers of the exchange", async () => {
  for (const whole of [new RecordingExchange(undefined, { host: "s" }), new RecordingExchange({ id: "alice" })]) {
    await timeout(50)(async (_, { caller, headers, isAnonymous }) => {
      expect([caller, headers, isAnonymous]).toEqual([whole.caller, whole.headers, whole.isAnonymous]);
      return { resultType: "complete" };
    })(call, whole);
  }
});

test("subscriptions and requests without a limit keep their own exchange and no timer (E-18)", () => {
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
