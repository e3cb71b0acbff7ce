// How often a caller may ask.
import type { Result } from "@lethe/protocol";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RecordingExchange, requestOf } from "../testing/recording-exchange.ts";
import { type RateLimitOptions, rateLimit } from "./rate-limit.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function limited(options: RateLimitOptions): (caller?: string) => Promise<Result> {
  const dispatch = rateLimit(options)(async () => ({ resultType: "complete" }));
  return (id) => dispatch(requestOf("tools/list"), new RecordingExchange(id === undefined ? undefined : { id }));
}

test("rejects a caller over its rate with -32603 and a retry time", async () => {
  const ask = limited({ perCaller: 2, windowMs: 1000 });
  await ask("alice");
  await ask("alice");
  await expect(ask("alice")).rejects.toMatchObject({
    code: -32603,
    message: "at most 2 requests in 1000 ms; retry in 500 ms",
    data: { retryAfterMs: 500 },
  });
  await ask("bob");
  vi.advanceTimersByTime(500);
  await ask("alice");
  await expect(ask("alice")).rejects.toThrow("at most 2");
});

test("an idle caller saves up at most one window", async () => {
  const ask = limited({ perCaller: 2, windowMs: 1000 });
  await ask("alice");
  vi.advanceTimersByTime(60_000);
  await ask("alice");
  await ask("alice");
  await expect(ask("alice")).rejects.toThrow("at most 2");
});

test("counts all requests without authentication as one caller", async () => {
  const ask = limited({ perCaller: 1 });
  await ask();
  await expect(ask()).rejects.toThrow("at most 1");
});

test("tracks a limited number of callers and evicts the one idle longest", async () => {
  const ask = limited({ perCaller: 1, windowMs: 1000, maxCallers: 2 });
  await ask("alice");
  await ask("bob");
  await ask("carol");
  await expect(ask("bob")).rejects.toThrow("at most 1");
  await ask("alice");
});

test("waits for an asynchronous counter and follows its decision", async () => {
  const waits = [0, 300];
  const taken: unknown[] = [];
  const counter = {
    async take(...given: unknown[]) {
      taken.push(given);
      return waits.shift() ?? 0;
    },
  };
  const ask = limited({ perCaller: 7, windowMs: 1000, counter });
  await ask("alice");
  await expect(ask("alice")).rejects.toMatchObject({ data: { retryAfterMs: 300 } });
  expect(taken).toEqual([1, 2].map(() => ["alice", { max: 7, windowMs: 1000 }]));
});

test("admits at most twice the rate per window and never starves a caller, for any pattern of requests", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.array(fc.nat(400), { maxLength: 60 }), async (rate, pauses) => {
      const ask = limited({ perCaller: rate, windowMs: 1000 });
      const servedAt: number[] = [];
      let now = 0;
      for (const pause of pauses) {
        vi.advanceTimersByTime(pause);
        now += pause;
        await ask("alice").then(
          () => servedAt.push(now),
          (error: unknown) => expect(error).toMatchObject({ data: { retryAfterMs: expect.any(Number) } }),
        );
      }
      for (const start of servedAt) {
        expect(servedAt.filter((at) => at >= start && at < start + 1000).length).toBeLessThanOrEqual(2 * rate);
      }
      vi.advanceTimersByTime(1000);
      await ask("alice");
    }),
    { numRuns: 50 },
  );
});
