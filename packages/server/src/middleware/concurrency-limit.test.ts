// How many requests run at a time, and what becomes of the rest.
import type { Dispatch, Result } from "@lethe/protocol";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RecordingExchange, requestOf } from "../testing/recording-exchange.ts";
import { type ConcurrencyLimitOptions, concurrencyLimit } from "./concurrency-limit.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A dispatch under the limit whose requests end when the test says so. */
function limited(options: ConcurrencyLimitOptions) {
  const running: { id: unknown; resolve: (result: Result) => void; reject: (error: Error) => void }[] = [];
  const next: Dispatch = ({ id }) => new Promise((resolve, reject) => running.push({ id, resolve, reject }));
  const dispatch = concurrencyLimit(options)(next);
  return {
    running,
    ids: () => running.map(({ id }) => id),
    ask: (id: number, exchange = new RecordingExchange()) => {
      const answer = dispatch(requestOf("tools/call", {}, { id }), exchange);
      answer.catch(() => {});
      return answer;
    },
  };
}

const done: Result = { resultType: "complete" };

test("queues requests over the limit and runs them in order of arrival", async () => {
  const { ask, ids, running } = limited({ max: 2, queue: 2 });
  for (const id of [1, 2, 3, 4]) void ask(id);
  await vi.advanceTimersByTimeAsync(0);
  expect(ids()).toEqual([1, 2]);
  running[0]?.resolve(done);
  await vi.advanceTimersByTimeAsync(0);
  expect(ids()).toEqual([1, 2, 3]);
  running[1]?.reject(new Error("failed"));
  await vi.advanceTimersByTimeAsync(0);
  expect(ids()).toEqual([1, 2, 3, 4]);
  expect(vi.getTimerCount()).toBe(0);
});

test("rejects requests at once with -32603 and a retry time when the queue is full (A-40, A-41)", async () => {
  const { ask, ids } = limited({ max: 1, queue: 0, retryAfterMs: 250 });
  void ask(1);
  await expect(ask(2)).rejects.toMatchObject({
    code: -32603,
    message: "the server is busy with 1 requests; retry in 250 ms",
    data: { retryAfterMs: 250 },
  });
  expect(ids()).toEqual([1]);
});

test("rejects a request that waited too long and never runs it", async () => {
  const { ask, ids, running } = limited({ max: 1, maxWaitMs: 100 });
  void ask(1);
  const waiting = ask(2);
  await vi.advanceTimersByTimeAsync(100);
  await expect(waiting).rejects.toMatchObject({ code: -32603, data: { retryAfterMs: 1000 } });
  running[0]?.resolve(done);
  await vi.advanceTimersByTimeAsync(0);
  expect(ids()).toEqual([1]);
});

test("removes a request from the queue when its caller disconnects", async () => {
  const { ask, ids, running } = limited({ max: 1, queue: 1 });
  const exchange = new RecordingExchange();
  void ask(1);
  const gone = ask(2, exchange);
  exchange.leave();
  await expect(gone).rejects.toThrow("cancelled");
  void ask(3);
  running[0]?.resolve(done);
  await vi.advanceTimersByTimeAsync(0);
  expect(ids()).toEqual([1, 3]);
});

test("frees a slot after any outcome", async () => {
  const { ask, ids, running } = limited({ max: 1, queue: 0 });
  for (const id of [1, 2, 3]) {
    const answer = ask(id);
    running.at(-1)?.resolve(done);
    expect(await answer).toBe(done);
  }
  expect(ids()).toEqual([1, 2, 3]);
});

test("frees the slot of a dispatch that throws synchronously", async () => {
  const dispatch = concurrencyLimit({ max: 1, queue: 0 })(() => {
    throw new Error("at once");
  });
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await expect(dispatch(requestOf("tools/call"), new RecordingExchange())).rejects.toThrow("at once");
  }
});

test("subscriptions take no slot (E-18)", async () => {
  const dispatch = concurrencyLimit({ max: 1, queue: 0 })(() => new Promise(() => {}));
  void dispatch(requestOf("subscriptions/listen"), new RecordingExchange());
  void dispatch(requestOf("tools/call"), new RecordingExchange());
  await expect(dispatch(requestOf("tools/call"), new RecordingExchange())).rejects.toThrow("busy");
});
