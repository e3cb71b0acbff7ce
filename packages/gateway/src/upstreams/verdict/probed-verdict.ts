// Converts a report of the probe into a verdict.
import type { Contract, EraVerdict, ProbeReport, Reason } from "@lethe/probe";
import type { Era } from "@lethe/protocol";
import type { Sharing, UpstreamConfig } from "../../config/upstream-config.ts";
import type { EraView, Verdict } from "./verdict.ts";

/**
 * Any server that may keep state under a session id gets one session per caller, even if it does not check the id. A needless
 * session costs a handshake; a shared one could show a caller the state of another.
 */
const byContract: Readonly<Record<Contract, readonly [Sharing, beginsSession: boolean | undefined, because: string]>> =
  {
    none: ["shared", false, "it issues no session ids"],
    optional: ["session", true, "it issues session ids and does not show whether it keeps state under them"],
    soft: ["session", undefined, "it requires a session id but accepts any"],
    enforced: ["session", true, "it answers only within the session that it began"],
    implicit: ["session", undefined, "it begins a session for clients that send no session id"],
    "single-tenant": ["single", true, "it has one session, for one client"],
    process: ["session", true, "a process of an older revision serves one client"],
  };

/** `shown` is the verdict of the open connection. It fills in what the report leaves open, with a warning. */
export function toProbedVerdict(report: ProbeReport, upstream: UpstreamConfig, shown: Verdict): Verdict {
  const { modern, legacy } = report.eras;
  const common = {
    transport: report.transport ?? shown.transport,
    eras: { modern: toEraView(modern), legacy: toEraView(legacy) },
    evidence: toEvidence(report),
    source: "probe",
    foundAt: Date.now(),
  } as const;
  const era = eraOf(report, upstream);
  if (era === "modern") {
    const because = "it speaks a revision without sessions";
    const stateless = { word: "STATELESS", sharing: "shared", contract: "none", beginsSession: false } as const;
    return { ...shown, ...common, ...stateless, era, because, warnings: [] };
  }
  const { beginsSession: _, ...rest } = shown;
  if (era === undefined || legacy.contract === undefined) return toUnknown(toProblem(report), { ...rest, ...common });
  const { word, contract } = legacy;
  const [sharing, beginsSession, because] = byContract[contract];
  const expected = beginsSession === undefined ? {} : { beginsSession };
  return { ...rest, ...common, ...expected, era, because, sharing, word, contract, warnings: [] };
}

/** The probe found no answer. The connection decides, and the operator gets a warning. */
export function toUnknown(problem: string, shown: Verdict): Verdict {
  const warnings = [`probing gave no result (${problem}): the verdict follows from its connection`];
  return { ...shown, source: "connection", word: "UNKNOWN", warnings };
}

/** An era counts only if the server serves requests in it. An announcement alone does not count. */
function eraOf({ eras: { modern, legacy } }: ProbeReport, { era }: UpstreamConfig): Era | undefined {
  if (modern.isSpoken && modern.word === "STATELESS" && era !== "legacy") return "modern";
  return legacy.isSpoken ? "legacy" : undefined;
}

function toEraView({ isSpoken, word, revisions, contract }: EraVerdict): EraView {
  return { isSpoken, word, revisions, ...(contract && { contract }) };
}

function toEvidence({ eras: { modern, legacy }, remarks, leftovers, requests, ms }: ProbeReport): string[] {
  const lines = (era: string, reasons: readonly Reason[]) => reasons.map(({ text }) => `${era}: ${text}`);
  const left = leftovers.map(({ sessionId, answer }) => `session ${sessionId} was left behind: DELETE got ${answer}`);
  return [
    ...lines("modern", modern.reasons),
    ...lines("legacy", legacy.reasons),
    ...remarks,
    ...left,
    `probed with ${requests} requests in ${ms} ms`,
  ];
}

function toProblem({ problem, eras: { modern, legacy } }: ProbeReport): string {
  const found = problem ?? legacy.problem ?? modern.problem;
  return found ? `${found.message}; ${found.advice}` : "no era that it speaks was found";
}
