import { expect, it } from "vitest";
import type { CallRecord } from "../check/records.ts";
import { longestPause, measure } from "./measure.ts";

function call(begin: number, end: number, more: Partial<CallRecord> = {}): CallRecord {
  const outcome = "ok";
  return { caller: "ann", upstream: "cnt", id: `ann:${begin}`, tool: "count", begin, end, outcome, ...more };
}

it("a pause begins with the first call that failed and ends with the next success of the same session", () => {
  const failed = { outcome: "unavailable" as const };
  const calls = [
    call(0, 10),
    call(100, 110, failed),
    call(200, 210, failed),
    // Another session of the caller does not end the pause.
    call(250, 260, { upstream: "hcnt" }),
    call(300, 330),
    call(400, 450),
  ];
  expect(longestPause(calls)).toBe(230);
});

it("a pause ends with the error that tells of the loss of the session", () => {
  const calls = [call(0, 100, { outcome: "lost" }), call(200, 250, { outcome: "told" }), call(900, 950)];
  expect(longestPause(calls)).toBe(250);
});

it("a pause that never ends counts until the last failure", () => {
  expect(longestPause([call(0, 10), call(100, 900, { outcome: "lost" })])).toBe(800);
});

it("counts calls from the given time on, executed failures, and the window of failures", () => {
  const calls = [
    call(0, 10, { outcome: "lost", reason: "lost" }),
    call(1_000, 1_010, { instance: "A", n: 1 }),
    call(2_100, 2_200, { outcome: "lost", reason: "lost", status: 200 }),
    call(2_300, 2_400, { outcome: "unavailable", reason: "unavailable", status: 503, hasRetryAfter: true }),
    call(2_500, 2_600, { instance: "B", n: 1 }),
  ];
  const runs = [1_000, 2_100, 2_500, 2_500].map((time) => ({
    ...{ event: "begin" as const, instance: "A", pid: 1, id: `ann:${time}` },
  }));
  expect(measure(calls, runs, 500, 2_000)).toEqual({
    ...{ calls: 4, ok: 2, unavailable: 1, unavailable503: 1, told: 0, lost: 1, lostRan: 1, untyped: 0, doubled: 1 },
    ...{ sessionsLost: 1, untold: 1, flapping: 0, longestPauseMs: 500, slowestCallMs: 100 },
    ...{ badFromMs: 100, badToMs: 400 },
    failures: { "lost: 200 lost": 1, "unavailable: 503 unavailable": 1 },
  });
});
