// The sequence diagram of a call with an elicitation.
import { expect, it } from "vitest";
import type { ExchangeDetail, Step } from "../admin/admin-api.ts";
import { toSequence } from "./sequence.ts";

const step = (at: number, from: string, to: string, more: Partial<Step> = {}): Step => ({
  ...{ at, from, to, kind: "request", label: "tools/call" },
  ...more,
});
function round(id: string, time: string, ms: number, steps: Step[]): ExchangeDetail {
  const common = { replica: "r1", endpoint: "/mcp", method: "tools/call", outcome: "complete", hasSteps: true };
  return { ...common, ...{ id, time, ms, steps, stepsOmitted: 0, related: [] } };
}

const second = round("2", "2026-01-01T00:00:05.000Z", 100, [
  step(0, "caller", "replica:r2"),
  step(1, "replica:r2", "replica:r1", { kind: "forward" }),
]);
const first = round("1", "2026-01-01T00:00:00.000Z", 500, [
  step(0, "caller", "replica:r1", { era: "modern" }),
  step(3, "replica:r1", "upstream:files", { revision: "2025-11-25", transport: "stdio", session: "1a2b" }),
]);

it("puts the caller first and the upstream last, with what each speaks", () => {
  expect(toSequence([second, first]).lanes).toEqual([
    { id: "caller", title: "Caller", hint: "2026-07-28 · no session" },
    { id: "replica:r1", title: "Replica r1", hint: "" },
    { id: "replica:r2", title: "Replica r2", hint: "" },
    { id: "upstream:files", title: "files", hint: "2025-11-25 · stdio · session 1a2b" },
  ]);
});

it("orders the rounds of a call, and says how long the caller took in between", () => {
  const { rounds, totalMs } = toSequence([second, first]);
  expect(rounds.map(({ id, pauseMs }) => [id, pauseMs])).toEqual([
    ["1", undefined],
    ["2", 4_500],
  ]);
  expect(rounds[1]?.rows.map(({ at, from, to }) => [at, from, to])).toEqual([
    [5_000, 0, 2],
    [5_001, 2, 1],
  ]);
  expect(totalMs).toBe(5_100);
});
