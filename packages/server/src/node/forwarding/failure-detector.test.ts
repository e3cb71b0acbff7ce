import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { systemClock } from "../../clock/clock.ts";
import { FailureDetector } from "./failure-detector.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp(hears: () => number | Promise<number>) {
  const gone: string[] = [];
  const messaging = { send: async () => hears() };
  const timings = { silenceMs: 10_000, outageMs: 40_000 };
  const detector = new FailureDetector({ messaging, clock: systemClock, timings });
  const missed: string[] = [];
  const watching = {
    onMissed: (replica: string) => void missed.push(replica),
    look: () => detector.ping("two", { kind: "ask", calls: [] }),
    onFailed: (replica: string) => void gone.push(replica),
  };
  detector.begin(watching);
  return { detector, watching, gone, missed };
}

/** What a shared store that stands still for 15.5 s answers then to all pings of that time: how many replicas received them. */
function answerOfStalledStore(heard: number): Promise<number> {
  return new Promise((resolve) => setTimeout(resolve, 15_500, heard));
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

test("the timeout of a ping begins when a shared store that stood still delivers it", async () => {
  const answer = answerOfStalledStore(1);
  const { detector, gone } = setUp(() => answer);
  // The next look comes before the reply.
  await vi.advanceTimersByTimeAsync(16_000);
  expect(gone).toEqual([]);
  detector.receivedFrom("two");
  await vi.advanceTimersByTimeAsync(9_000);
  expect(gone).toEqual([]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(gone).toEqual(["two"]);
});

test("pings that a shared store held back together count as one if the replica had no subscription then", async () => {
  let heard: number | Promise<number> = answerOfStalledStore(0);
  const { gone } = setUp(() => heard);
  await vi.advanceTimersByTimeAsync(15_200);
  heard = 0;
  await vi.advanceTimersByTimeAsync(500);
  expect(gone).toEqual([]);
  await vi.advanceTimersByTimeAsync(500);
  expect(gone).toEqual(["two"]);
});

test("a replica that cannot be pinged, because Redis is away, has failed after outageMs", async () => {
  const { gone } = setUp(() => Promise.reject(new Error("away")));
  await vi.advanceTimersByTimeAsync(40_000);
  expect(gone).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(gone).toEqual(["two"]);
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
