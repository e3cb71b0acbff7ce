import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createFailureDetector } from "./failure-detector.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp(hears: () => number | Promise<never>) {
  const gone: string[] = [];
  const messaging = { isUp: true, send: async () => hears(), close: async () => {} };
  const plan = { messaging, silenceMs: 10_000, onFailed: (replica: string) => void gone.push(replica) };
  const detector = createFailureDetector({ ...plan, look: () => detector.ping("two", { kind: "ask", calls: [] }) });
  detector.begin();
  return { detector, gone };
}

test("a replica without a subscription has failed at the second ping", async () => {
  const { gone } = setUp(() => 0);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(gone).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(gone).toEqual(["two"]);
});

test("a replica that does not reply has failed after silenceMs", async () => {
  for (const hears of [() => 1, () => Promise.reject(new Error("away"))]) {
    const { gone } = setUp(hears);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(gone).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(gone).toEqual(["two"]);
  }
});

test("a reply, a reconnect and a pause in pings restart the timeout", async () => {
  let heard = 0;
  const { detector, gone } = setUp(() => heard);
  await vi.advanceTimersByTimeAsync(1_000);
  heard = 1;
  await vi.advanceTimersByTimeAsync(9_000);
  detector.receivedFrom("two");
  await vi.advanceTimersByTimeAsync(9_000);
  detector.receivedFrom("two");
  expect(detector.silenceOf("two")).toBe(0);
  vi.advanceTimersByTime(0);
  detector.end();
  await vi.advanceTimersByTimeAsync(60_000);
  detector.begin();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(gone).toEqual([]);
});
