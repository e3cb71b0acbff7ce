import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { systemClock } from "../../clock/clock.ts";
import { FailureDetector } from "./failure-detector.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp(hears: () => number | Promise<number>) {
  const gone: string[] = [];
  const failures: string[] = [];
  const messaging = { send: async () => hears() };
  const timings = { silenceMs: 10_000, outageMs: 40_000 };
  const detector = new FailureDetector({ messaging, clock: systemClock, timings });
  const missed: string[] = [];
  const watching = {
    onMissed: (replica: string) => void missed.push(replica),
    look: () => detector.ping("two", { kind: "ask", calls: [] }),
    onFailed(replica: string, failure: string) {
      gone.push(replica);
      failures.push(failure);
    },
  };
  detector.begin(watching);
  return { detector, watching, gone, failures, missed };
}

test("a replica without a subscription has failed at the second ping", async () => {
  const { gone, missed } = setUp(() => 0);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(gone).toEqual([]);
  expect(missed).toEqual(["two"]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(gone).toEqual(["two"]);
});

test("a replica that receives pings and does not reply has failed after silenceMs", async () => {
  const { gone } = setUp(() => 1);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(gone).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(gone).toEqual(["two"]);
});

/** A shared store that stands still from `fromMs` to `untilMs`: what is sent or answered meanwhile arrives at its end. */
function createStalledStore(fromMs: number, untilMs: number) {
  const startedAt = systemClock.now();
  const isStalled = () => systemClock.now() - startedAt >= fromMs && systemClock.now() - startedAt < untilMs;
  const end = new Promise<void>((resolve) => setTimeout(resolve, untilMs));
  return (receivers: () => number) => async () => {
    if (isStalled()) await end;
    return receivers();
  };
}

test("a shared store that stood still for longer than silenceMs fails no replica that answers when it continues", async () => {
  // The reply to the ping of 2,000 does not arrive any more. The next look comes before the other replies.
  const { detector, gone } = setUp(createStalledStore(2_500, 15_900)(() => 1));
  await vi.advanceTimersByTimeAsync(1_500);
  detector.receivedFrom("two");
  await vi.advanceTimersByTimeAsync(14_500);
  expect(gone).toEqual([]);
  detector.receivedFrom("two");
  await vi.advanceTimersByTimeAsync(10_000);
  expect(gone).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(gone).toEqual(["two"]);
});

test("pings without a receiver show nothing while replicas reconnect to a shared store that stood still", async () => {
  const { gone, missed } = setUp(createStalledStore(500, 15_500)(() => 0));
  await vi.advanceTimersByTimeAsync(20_900);
  expect(missed.length).toBeGreaterThan(10);
  expect(gone).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_100);
  expect(gone).toEqual(["two"]);
});

test("a replica that lost its lease has failed when it answers none of the next two pings", async () => {
  const { detector, gone } = setUp(() => 1);
  await vi.advanceTimersByTimeAsync(3_500);
  detector.suspect("two");
  await vi.advanceTimersByTimeAsync(2_000);
  expect(gone).toEqual([]);
  await vi.advanceTimersByTimeAsync(500);
  expect(gone).toEqual(["two"]);
});

test("a replica that lost its lease while the shared store stood still, and answers then, has not failed", async () => {
  const { detector, gone } = setUp(createStalledStore(500, 15_500)(() => 1));
  await vi.advanceTimersByTimeAsync(15_500);
  detector.suspect("two");
  await vi.advanceTimersByTimeAsync(1_900);
  expect(gone).toEqual([]);
  detector.receivedFrom("two");
  await vi.advanceTimersByTimeAsync(9_000);
  expect(gone).toEqual([]);
});

test("a process that stood still itself judges others by the pings that it sent, and not by the time", async () => {
  const { gone } = setUp(() => 1);
  await vi.advanceTimersByTimeAsync(1_000);
  const now = vi.spyOn(performance, "now").mockImplementation(() => 1_000_000);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(gone).toEqual([]);
  now.mockRestore();
});

test("a replica that cannot be pinged, because Redis is away, has failed after outageMs", async () => {
  const { gone, failures } = setUp(() => Promise.reject(new Error("away")));
  await vi.advanceTimersByTimeAsync(40_000);
  expect(gone).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(gone).toEqual(["two"]);
  expect(failures).toEqual(["unreached"]);
});

test("a reply, a reconnect and a pause in pings restart the timeout", async () => {
  let heard = 0;
  const { detector, watching, gone } = setUp(() => heard);
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
  detector.begin(watching);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(gone).toEqual([]);
});
