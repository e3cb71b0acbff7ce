// Traffic that continues with each step.
import { expect, it } from "vitest";
import type { SeriesAnswer, Upstream } from "./admin-api.ts";
import { trafficOf, withRecent, withTick } from "./traffic.ts";

const at = (second: number) => new Date(second * 1_000).toISOString();
const recent = (requests: number) => ({ requests, errors: 0, p50: requests, p95: null });
const answer: SeriesAnswer = {
  ...{ replica: "r1", replicas: ["r1"], unanswered: [], stepSeconds: 10, newest: at(120) },
  gateway: { requests: [1, 2, 3], errors: [0, 0, 1], p50: [5, null, 7], p95: [5, null, 9] },
  upstreams: {},
};

it("dates each step by the newest one", () => {
  expect(trafficOf(answer).times).toEqual([100, 110, 120]);
});

it("replaces the newest step when it has ended, and begins the next one", () => {
  const next = withTick(answer, {
    ...{ time: at(120), stepSeconds: 10, recent: {} },
    gateway: recent(4),
    upstreams: { fs: recent(4) },
  });
  expect(next.newest).toBe(at(130));
  expect(next.gateway.requests).toEqual([2, 4, 0]);
  expect(trafficOf(next, "fs")).toMatchObject({ requests: [0, 4, 0], p50: [null, 4, null], times: [110, 120, 130] });
});

it("leaves steps empty that it missed", () => {
  const next = withTick(answer, {
    ...{ time: at(140), stepSeconds: 10, recent: {} },
    gateway: recent(9),
    upstreams: {},
  });
  expect(next.gateway.requests).toEqual([0, 9, 0]);
  expect(trafficOf(next).times).toEqual([130, 140, 150]);
});

it("shows an upstream without requests as quiet", () => {
  expect(trafficOf(answer, "memory").requests).toEqual([0, 0, 0]);
});

it("shows the last minute of each upstream as the last step says it, and none for an upstream that it does not name", () => {
  const upstreams = ["fs", "gh"].map((name) => ({ name, recent: recent(9) }) as Upstream);
  const tick = { time: at(120), stepSeconds: 10, gateway: recent(2), upstreams: {}, recent: { gh: recent(2) } };
  expect(withRecent(upstreams, tick).map(({ recent: { requests, p50 } }) => [requests, p50])).toEqual([
    [0, null],
    [2, 2],
  ]);
});

it("shows an upstream as quiet that has the name of a member of every object", () => {
  const tick = { time: at(120), stepSeconds: 10, gateway: recent(2), upstreams: {}, recent: {} };
  expect(trafficOf(withTick(answer, tick), "constructor").requests).toEqual([0, 0, 0]);
  const [upstream] = withRecent([{ name: "toString" } as Upstream], tick);
  expect(upstream?.recent).toEqual({ requests: 0, errors: 0, p50: null, p95: null });
});
