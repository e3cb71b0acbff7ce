import { type JsonObject, notificationMethod } from "@lethe/protocol";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createFakeExchange } from "../testing/fakes.ts";
import { LimitedExchange } from "./limited-exchange.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function start() {
  const exchange = createFakeExchange();
  const limited = new LimitedExchange(exchange);
  const send = (method: string, params: JsonObject) => limited.notify({ jsonrpc: "2.0", method, params });
  return {
    limited,
    notes: exchange.notes,
    progress: (progress: number) => send(notificationMethod.progress, { progressToken: 1, progress }),
    log: (data: number) => send(notificationMethod.message, { level: "error", data }),
    valuesOf: () => exchange.notes.map(({ params = {} }) => params.progress ?? params.data),
  };
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

test("sends the caller of a call up to 200 notifications per second at once", () => {
  const { progress, valuesOf } = start();
  for (const value of range(1, 200)) expect(progress(value)).toBe(true);
  expect(valuesOf()).toEqual(range(1, 200));
  vi.advanceTimersByTime(1_000);
  for (const value of range(201, 400)) progress(value);
  expect(valuesOf()).toEqual(range(1, 400));
});

test("sends only the newest progress beyond the limit, when the second is over", () => {
  const { progress, valuesOf } = start();
  for (const value of range(1, 60_000)) expect(progress(value)).toBe(true);
  vi.advanceTimersByTime(999);
  expect(valuesOf()).toEqual(range(1, 200));
  vi.advanceTimersByTime(1);
  expect(valuesOf()).toEqual([...range(1, 200), 60_000]);
});

test("sends the newest progress before the result and never twice", () => {
  const { limited, progress, valuesOf } = start();
  for (const value of range(1, 1_000)) progress(value);
  limited.finish();
  vi.advanceTimersByTime(2_000);
  expect(valuesOf()).toEqual([...range(1, 200), 1_000]);
  expect(vi.getTimerCount()).toBe(0);
});

test("reports the number of dropped log messages at their level", () => {
  const { log, notes } = start();
  for (const value of range(1, 450)) expect(log(value)).toBe(true);
  vi.advanceTimersByTime(1_000);
  expect(notes).toHaveLength(201);
  expect(notes.at(-1)).toMatchObject({
    method: notificationMethod.message,
    params: {
      level: "error",
      logger: "lethe",
      data: "250 log messages were dropped: at most 200 notifications of a call are forwarded per second",
    },
  });
  log(451);
  expect(notes.at(-1)).toMatchObject({ params: { data: 451 } });
});
