// The lines that lethe status, top and tail print.
import { expect, it } from "vitest";
import { createStyle } from "../terminal/style.ts";
import type { HealthView, OverviewView } from "./admin-views.ts";
import { toExchangeLine, toHeadLines, toLogLine, toProblemLines, toUpstreamLines } from "./format-rows.ts";

const style = createStyle({});
const recent = { requests: 120, errors: 2, p50: 3.25, p95: 45.6 };

it("prints one aligned row for each server", () => {
  const row = { state: "ready", kind: "http", sessions: 1, waiting: 0, pending: 0, tools: 12, recent };
  const lines = toUpstreamLines(
    [
      { ...row, name: "github", era: "modern", verdict: { word: "STATELESS", transport: "streamable-http" } },
      { ...row, name: "fs", state: "failed", recent: { requests: 0, errors: 0, p50: null, p95: null } },
    ],
    style,
  );
  expect(lines).toEqual([
    "server  state   is         era     tools  sessions  waiting  req/min  errors  p50 ms  p95 ms",
    "github  ready   STATELESS  modern     12         1        0      120       2     3.3      46",
    "fs      failed  –          –          12         1        0        0       0       –       –",
  ]);
});

it("says at how many replicas a server has failed", () => {
  const row = { kind: "http", sessions: 3, waiting: 0, pending: 0, tools: 12, recent };
  const states = [
    { state: "failed", replicas: ["e5f6a7b8"] },
    { state: "ready", replicas: ["a1b2c3d4", "c9d0e1f2"] },
  ];
  const [, line] = toUpstreamLines([{ ...row, name: "gh", state: "failed", states }], style);
  expect(line).toContain("gh      failed at 1 of 3  ");
});

it("says what the gateway is, what it served, and which replicas do not answer", () => {
  const overview: OverviewView = {
    ...{ name: "lethe-gateway", version: "0.1.0", replica: "a1b2c3d4", state: "serving", upSeconds: 11_100 },
    unanswered: [
      { replica: "e5f6a7b8", reason: "no answer within 2 s" },
      { replica: "c9d0e1f2", reason: "it is of an earlier version" },
    ],
    ...{ listening: { url: "http://127.0.0.1:3000/mcp" }, sessions: 3, pendingCalls: 1, tasks: 0, recent },
    ...{ total: { requests: 1_234, errors: 12 }, memory: { heldBytes: 1_048_576, hardBytes: 104_857_600 } },
  };
  const health: HealthView = {
    ...{ isReady: true, readiness: "ready" },
    replicas: [{ id: "a1b2c3d4", isSelf: true, state: "serving", sessions: 3 }],
    unanswered: [{ replica: "e5f6a7b8", reason: "no answer within 2 s" }],
    problems: [{ source: "upstream", upstream: "fs", text: "it has\nended" }],
  };
  expect(toHeadLines(overview, health, style)).toEqual([
    "lethe-gateway 0.1.0  serving  up 3 h 5 min  replica a1b2c3d4",
    "http://127.0.0.1:3000/mcp  held memory 1.0 MiB of 100 MiB",
    "requests 1,234, errors 12; last minute 120 requests, 2 errors, p50 3.3 ms, p95 46 ms",
    "sessions 3, pending calls 1, tasks 0",
    "replica e5f6a7b8 does not answer: no answer within 2 s",
    "the figures of replica c9d0e1f2 are missing: it is of an earlier version",
  ]);
  expect(toProblemLines(health, style)).toEqual(["! fs: it has ended"]);
});

it("prints one line for a request and a log entry, without control characters of the gateway", () => {
  const time = "2026-11-25T18:45:44.123Z";
  const exchange = { id: "a-1", time, replica: "a1b2c3d4", method: "tools/call", ms: 12.3, outcome: "error" };
  expect(
    toExchangeLine({ ...exchange, name: "gh__read\u001b[2J", upstream: "gh", caller: "ci", reason: "timeout" }, style),
  ).toBe("18:45:44.123 a1b2c3d4 error                12 ms  tools/call gh__read\\u001b[2J → gh by ci timeout");
  expect(toLogLine({ time, level: "warn", event: "upstream.lost", message: "gh is\ngone" }, style)).toBe(
    "18:45:44.123 warn  upstream.lost gh is gone",
  );
});
