// Minimal reports of the probe, for tests.
import type { Contract, EraVerdict, ProbeReport } from "@lethe/probe";
import { vi } from "vitest";

const unasked: EraVerdict = { isSpoken: null, word: "UNKNOWN", revisions: [], confidence: "low", reasons: [] };

export interface FakeReport {
  modern?: Partial<EraVerdict>;
  legacy?: Partial<EraVerdict>;
  transport?: ProbeReport["transport"];
}

export function createReport({ modern, legacy, transport = "streamable-http" }: FakeReport): ProbeReport {
  const eras = { modern: { ...unasked, ...modern }, legacy: { ...unasked, ...legacy } };
  const { word } = eras.modern.isSpoken ? eras.modern : eras.legacy;
  return {
    ...{ version: 1, target: { kind: "http", address: "http://up/mcp" }, word, confidence: "high", transport, eras },
    ...{ decidedBy: "behaviour", features: { capabilities: {} }, serverRequests: [], instances: [], hints: [] },
    ...{
      advice: { pooling: "shared", text: "" },
      remarks: [],
      keptState: [],
      leftovers: [],
      requests: 8,
      ms: 90,
      evidence: [],
    },
    caution: "",
  };
}

export const modernReport: ProbeReport = createReport({
  modern: { isSpoken: true, word: "STATELESS", revisions: ["2026-07-28"], contract: "none" },
  legacy: { isSpoken: false },
});

export function legacyReport(contract: Contract, word: EraVerdict["word"] = "STATEFUL"): ProbeReport {
  const reasons = [{ text: "tools/list without a session id: 400", exchanges: [4] }];
  return createReport({
    modern: { isSpoken: false, reasons: [{ text: "server/discover was refused: 400", exchanges: [1] }] },
    legacy: { isSpoken: true, word, revisions: ["2025-11-25"], contract, reasons },
  });
}

const busy = { reason: "unavailable", message: "tools/list: 503", advice: "try again later" } as const;

export const unknownReport: ProbeReport = createReport({ legacy: { isSpoken: true, problem: busy } });

/** A probe that ends when the test says so, with a given report. */
export function createFakeProbe() {
  const ends: ((report: ProbeReport) => void)[] = [];
  const probe = vi.fn(
    (signal: AbortSignal) =>
      new Promise<ProbeReport>((resolve, reject) => {
        ends.push(resolve);
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
  );
  return {
    probe,
    /** Ends the running probe and waits for its effects. */
    async end(report: ProbeReport) {
      ends.shift()?.(report);
      await vi.advanceTimersByTimeAsync(0);
    },
  };
}
