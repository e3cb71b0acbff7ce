// Figures of several replicas are those of one system.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { upstreamView } from "../../../testing/streaming-replicas.ts";
import { addCounts, toRecent } from "../../observe/duration-counts.ts";
import type { VerdictView } from "../../observe/gateway-view.ts";
import { type PackedStep, TimeSeries } from "../../observe/time-series.ts";
import { createTraffic, type Traffic } from "../../observe/traffic.ts";
import { AddedSteps } from "./added-steps.ts";
import { figuresOf } from "./figures.ts";
import { mergeSeries, type SeriesPart, toSeriesPart } from "./merge-series.ts";
import { mergeUpstream } from "./merge-upstream.ts";

const request = {
  replica: fc.nat({ max: 4 }),
  ms: fc.double({ min: 0, max: 60_000, noNaN: true }),
  isError: fc.boolean(),
};
const requests = fc.array(fc.record({ ...request, at: fc.nat({ max: 59_999 }) }), { maxLength: 200 });

function seriesOf(parts: readonly (readonly PackedStep[])[]) {
  const added = new AddedSteps(6);
  for (const part of parts) added.add(part, 0);
  return added.take();
}

describe("merged histograms", () => {
  it("equal one histogram of all requests, so that percentiles are those of one gateway", () => {
    fc.assert(
      fc.property(requests, (all) => {
        const replicas = Array.from({ length: 5 }, () => new TimeSeries());
        const one = new TimeSeries();
        for (const { replica, ms, isError, at } of all.toSorted((a, b) => a.at - b.at)) {
          replicas[replica]?.add(ms, isError, at);
          one.add(ms, isError, at);
        }
        const merged = addCounts(replicas.map((series) => series.recent(59_999)));
        expect(toRecent(merged)).toEqual(toRecent(one.recent(59_999)));
        const series = seriesOf(replicas.map((replica) => replica.pack(6, 59_999)));
        expect(series).toEqual(seriesOf([one.pack(6, 59_999)]));
        const steps = Array.from({ length: 6 }, (_, step) => toRecent(one.of(step, 1)));
        for (const member of ["requests", "errors", "p50", "p95"] as const) {
          expect(series[member]).toEqual(steps.map((step) => step[member]));
        }
      }),
    );
  });

  it("are no average: the slow requests of one replica decide the 95th percentile of all", () => {
    const [fast, slow] = [new TimeSeries(), new TimeSeries()];
    for (let count = 0; count < 90; count += 1) fast.add(2, false, 0);
    for (let count = 0; count < 10; count += 1) slow.add(400, false, 0);
    const { p50, p95 } = toRecent(addCounts([fast.recent(0), slow.recent(0)]));
    expect(p50).toBeLessThan(3);
    expect(p95).toBeGreaterThan(300);
  });
});

describe("a merged series", () => {
  const base = {
    time: new Date(0),
    endpoint: "/mcp",
    method: "tools/call",
    outcome: "complete",
    ms: 4,
    upstream: "gh",
  };
  const head = { replica: "aaaaaaaa", replicas: ["aaaaaaaa", "bbbbbbbb"], unanswered: [] };
  const ask = { path: {}, query: { points: "3" } };
  const partOf = (replica: string, traffic: Traffic) => toSeriesPart({ replica, traffic }, ask);

  it("adds up steps of the same time, also where the clock of a replica is ahead or behind", async () => {
    const step = 100;
    const traffics = [0, 0, 0].map(() => createTraffic(() => step * 10_000));
    for (const traffic of traffics) traffic.observe(base);
    const [own, ahead, behind] = traffics.map((traffic, index) => partOf(`replica${index}`, traffic));
    if (!own || !ahead || !behind) throw new Error("three parts expected");
    const { gateway, upstreams, newest } = await mergeSeries(
      { ...own, newest: step },
      [
        { ...ahead, newest: step + 1 },
        { ...behind, newest: step - 1 },
      ],
      { request: ask, head },
    );
    // The newest step of the one ahead is later than the newest one here.
    expect(gateway.requests).toEqual([0, 1, 1]);
    expect(upstreams.gh?.requests).toEqual([0, 1, 1]);
    expect(newest).toBe(new Date(step * 10_000).toISOString());
  });

  it.each(["constructor", "toString", "__proto__"])(
    "has the steps of an upstream that is named %s",
    async (upstream) => {
      const [busy, quiet] = [createTraffic(), createTraffic()];
      busy.observe({ ...base, upstream });
      const sent: SeriesPart = JSON.parse(JSON.stringify(partOf("bbbbbbbb", quiet)));
      const { upstreams } = await mergeSeries(partOf("aaaaaaaa", busy), [sent], { request: ask, head });
      expect(Object.entries(upstreams)).toMatchObject([[upstream, { requests: [0, 0, 1] }]]);
    },
  );
});

describe("an upstream at several replicas", () => {
  const era = { isSpoken: null, word: "UNKNOWN", revisions: [] };
  const verdict: VerdictView = {
    source: "probe",
    ...{ word: "STATEFUL", transport: "stdio", eras: { modern: era, legacy: era } },
    ...{ features: { capabilities: [] }, evidence: ["it keeps a counter"], found: new Date(0).toISOString() },
  };
  const at = (replica: string, members: Parameters<typeof upstreamView>[1]) => ({
    replica,
    figures: figuresOf(upstreamView("gh", members)),
  });

  it("has the sum of the figures, and its state alone where all replicas agree", () => {
    const view = upstreamView("gh", { sessions: 2, pending: 1, tools: 3, sessionsLost: { killed: 1 } });
    const merged = mergeUpstream(view, [
      { replica: "aaaaaaaa", figures: figuresOf(view) },
      at("bbbbbbbb", { sessions: 3, tasks: 4, waiting: 5, tools: 3, sessionsLost: { killed: 1, full: 2 } }),
    ]);
    expect(merged).toMatchObject({ state: "ready", sessions: 5, pending: 1, tasks: 4, waiting: 5, tools: 3 });
    expect(merged.sessionsLost).toEqual({ killed: 2, full: 2 });
    expect(merged.states).toBeUndefined();
  });

  it("says where it failed and why, where it is ready, and where it is not configured", () => {
    const view = upstreamView("gh", { tools: 3 });
    const merged = mergeUpstream(view, [
      { replica: "aaaaaaaa", figures: figuresOf(view) },
      at("bbbbbbbb", { state: "failed", reason: "it ended", failures: 3, problems: ["the list is outdated"] }),
      at("cccccccc", {}),
      { replica: "dddddddd", figures: undefined },
    ]);
    expect(merged).toMatchObject({
      ...{ state: "failed", reason: "it ended", failures: 3, tools: 3 },
      states: [
        { state: "failed", reason: "it ended", replicas: ["bbbbbbbb"] },
        { state: "absent", replicas: ["dddddddd"] },
        { state: "ready", replicas: ["aaaaaaaa", "cccccccc"] },
      ],
      problems: ["replica bbbbbbbb: the list is outdated"],
    });
  });

  it("is described by another replica where this one does not have it, with the replicas that have it", () => {
    const [described, bare] = [{ verdict, era: "modern", revision: "2026-07-28", kind: "stdio" } as const, {}];
    const merged = mergeUpstream(undefined, [
      { replica: "aaaaaaaa", figures: undefined },
      at("bbbbbbbb", { ...bare, sessions: 1, problems: ["the list is outdated"] }),
      at("cccccccc", { ...described, sessions: 2, target: "node server.js" }),
    ]);
    expect(merged).toMatchObject({
      ...{ name: "gh", kind: "stdio", target: "node server.js", era: "modern", revision: "2026-07-28", sessions: 3 },
      verdict: { word: "STATEFUL", evidence: [] },
      states: [
        { state: "absent", replicas: ["aaaaaaaa"] },
        { state: "ready", replicas: ["bbbbbbbb", "cccccccc"] },
      ],
      problems: ["replica bbbbbbbb: the list is outdated"],
    });
  });

  it("has the verdict of another replica where this one has none yet", () => {
    const view = upstreamView("gh", { state: "idle", warnings: ["it is slow"] });
    const own = { replica: "aaaaaaaa", figures: figuresOf(view) };
    const merged = mergeUpstream(view, [own, at("bbbbbbbb", { verdict, era: "legacy", revision: "2025-11-25" })]);
    expect(merged).toMatchObject({ warnings: ["it is slow"], era: "legacy", verdict: { word: "STATEFUL" } });
  });

  it("is what this replica says where there is no other", () => {
    const view = upstreamView("gh", { state: "failed", reason: "x".repeat(1_000) });
    expect(mergeUpstream(view, [{ replica: "aaaaaaaa", figures: figuresOf(view) }])).toBe(view);
  });
});
