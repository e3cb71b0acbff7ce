import { describe, expect, it } from "vitest";
import type { HttpUpstream } from "../../config/upstream-config.ts";
import { createFakeConnection } from "../../testing/fakes.ts";
import { createReport, legacyReport, modernReport } from "../../testing/reports.ts";
import { toProbedVerdict } from "./probed-verdict.ts";
import { toConnectionVerdict } from "./verdict.ts";

const upstream: HttpUpstream = { kind: "http", name: "up", url: "http://up/mcp", headers: {} };
const shown = toConnectionVerdict(upstream, createFakeConnection(), "streamable-http");

describe("the verdict about a legacy server", () => {
  it.each([
    ["none", "shared"],
    // A server may keep state under session ids that it does not check.
    ["optional", "session"],
    ["soft", "session"],
    ["enforced", "session"],
    ["implicit", "session"],
    ["process", "session"],
    ["single-tenant", "single"],
  ] as const)("a legacy server with the contract %s gets the sharing %s", (contract, sharing) => {
    expect(toProbedVerdict(legacyReport(contract), upstream, shown)).toMatchObject({
      sharing,
      contract,
      era: "legacy",
    });
  });
});

describe("the era of a probed verdict", () => {
  it("uses the newest era that the server serves", () => {
    const both = createReport({ modern: modernReport.eras.modern, legacy: legacyReport("enforced").eras.legacy });
    const verdict = toProbedVerdict(both, upstream, shown);
    expect(verdict).toMatchObject({ era: "modern", sharing: "shared", word: "STATELESS" });
    expect(verdict.eras.legacy).toMatchObject({ isSpoken: true, word: "STATEFUL", contract: "enforced" });
  });

  it("ignores an era that is announced but not served", () => {
    const announced = { isSpoken: true, word: "UNKNOWN", revisions: ["2026-07-28"] } as const;
    const report = createReport({ modern: announced, legacy: legacyReport("enforced").eras.legacy });
    expect(toProbedVerdict(report, upstream, shown)).toMatchObject({ era: "legacy", sharing: "session" });
  });

  it("uses the configured era", () => {
    const both = createReport({ modern: modernReport.eras.modern, legacy: legacyReport("enforced").eras.legacy });
    const verdict = toProbedVerdict(both, { ...upstream, era: "legacy" }, shown);
    expect(verdict).toMatchObject({ era: "legacy", sharing: "session" });
  });
});

it("summarizes the reasons of the probe as evidence", () => {
  expect(toProbedVerdict(legacyReport("enforced"), upstream, shown).evidence).toEqual([
    "modern: server/discover was refused: 400",
    "legacy: tools/list without a session id: 400",
    "probed with 8 requests in 90 ms",
  ]);
});
