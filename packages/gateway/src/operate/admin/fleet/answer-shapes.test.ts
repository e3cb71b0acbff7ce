// Answers of other replicas: those of this version are read, and others are refused with the place where they differ.
import { describe, expect, it } from "vitest";
import { emptyGatewayView } from "../../../testing/empty-view.ts";
import { upstreamView } from "../../../testing/streaming-replicas.ts";
import { createTraffic } from "../../observe/traffic.ts";
import type { AdminSource } from "../answers/admin-source.ts";
import { readFigures, readSeriesPart, readUpstreamPart } from "./answer-shapes.ts";
import { toFiguresAnswer } from "./figures.ts";
import { toUpstreamPart } from "./merge-detail.ts";
import { toSeriesPart } from "./merge-series.ts";

const traffic = createTraffic();
for (const ms of [4, 90_000]) {
  traffic.observe({
    ...{ time: new Date(0), endpoint: "/mcp", method: "tools/call", outcome: "complete", ms },
    upstream: "gh",
  });
}
const upstreams = [upstreamView("gh", { state: "failed", reason: "it ended", sessionsLost: { killed: 1 } })];
const source = {
  ...{ replica: "aaaaaaaa", traffic, view: () => ({ ...emptyGatewayView, upstreams }) },
  ...{ processes: { of: () => [] }, stderrOf: () => ["no disk"] },
} as unknown as AdminSource;
const request = { path: { name: "gh" }, query: {} };
const sent = <T>(answer: T): T => JSON.parse(JSON.stringify(answer));

describe("an answer of another replica", () => {
  it("is read where it has the form of this version, and may have further members", () => {
    for (const answer of [toFiguresAnswer(source), { ...toFiguresAnswer(source), later: true }]) {
      expect(readFigures(sent(answer))).toEqual(sent(answer));
    }
    expect(readSeriesPart(sent(toSeriesPart(source, request))).upstreams.gh).toHaveLength(1);
    expect(readUpstreamPart(sent(toUpstreamPart(source, request))).detail?.stderr).toEqual(["no disk"]);
    const { detail: _, ...absent } = toUpstreamPart(source, request);
    expect(readUpstreamPart(sent(absent))).toEqual(absent);
  });

  it.each([
    ["the answer", undefined],
    ["the answer", []],
    ["gateway", { gateway: null }],
    ["upstreams[].state", { upstreams: [{ ...upstreams[0], state: "paused" }] }],
    ["upstreams[].kind", { upstreams: [{ ...upstreams[0], kind: "ftp" }] }],
    ["upstreams[].verdict.source", { upstreams: [{ ...upstreams[0], verdict: { word: "STATEFUL" } }] }],
    ["recent.gh.durations", { recent: { gh: { requests: 1, errors: 0, durations: new Array(26).fill(0) } } }],
    ["recent.gh.durations[]", { recent: { gh: { requests: 1, errors: 0, durations: [-1] } } }],
  ])("is refused with the place where it differs: %s", (path, changed) => {
    const answer = changed && !Array.isArray(changed) ? { ...sent(toFiguresAnswer(source)), ...changed } : changed;
    expect(() => readFigures(answer)).toThrow(
      new Error(`it sent figures of another version: ${path} is not what this replica expects`),
    );
  });

  it("is refused where a step of a series has more classes of durations", () => {
    const part = { ...sent(toSeriesPart(source, request)), gateway: [[0, 1, 0, ...new Array(26).fill(0)]] };
    expect(() => readSeriesPart(part)).toThrow("it sent a series of another version: gateway[] is not");
  });
});
