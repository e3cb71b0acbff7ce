// Builds the report from verdicts, hints and evidence, and masks all secrets.
import type { Findings } from "../behaviour/findings.ts";
import type { Problem } from "../behaviour/problem.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { Hint } from "../hints/hint.ts";
import type { Mask } from "../target/mask.ts";
import { isHttpTarget, type ProbeTarget } from "../target/target.ts";
import { type Advice, toAdvice } from "../verdict/advice.ts";
import { type EraVerdict, newestEraOf, toLegacyVerdict, toModernVerdict, type Word } from "../verdict/era-verdict.ts";
import { toFeatures } from "../verdict/features.ts";
import { toEvidence } from "./evidence.ts";
import { caution, type ProbeReport } from "./report.ts";

export interface ReportParts {
  target: ProbeTarget;
  findings: Findings;
  /** Hints, in the order in which they ran. */
  hints: readonly Hint[];
  /** Signs that tools keep state between calls. */
  keptState: readonly string[];
  /** The hint that was requested alone. It is the verdict then. */
  only?: Hint | undefined;
  exchanges: readonly Exchange[];
  mask: Mask;
  ms: number;
}

export function toReport(parts: ReportParts): ProbeReport {
  const { findings, hints, exchanges, mask } = parts;
  const modern = toModernVerdict(findings.modern);
  const legacy = toLegacyVerdict(findings.legacy);
  const evidence = exchanges.toSorted((a, b) => a.number - b.number).map((exchange) => toEvidence(exchange, mask));
  const report: ProbeReport = {
    version: 1,
    target: toTarget(parts.target),
    ...toOutcome(parts, modern, legacy),
    eras: { modern, legacy },
    ...(findings.transport && { transport: findings.transport }),
    features: toFeatures(findings),
    serverRequests: [...new Set(exchanges.flatMap(({ asked }) => asked))],
    advice: toAdvice(modern, legacy, findings.transport),
    instances: findings.instances,
    hints,
    keptState: parts.keptState,
    remarks: findings.remarks,
    leftovers: findings.leftovers,
    requests: exchanges.length,
    ms: Math.round(parts.ms),
    evidence,
    caution,
  };
  return maskTexts(report, mask);
}

type Outcome = Pick<ProbeReport, "word" | "confidence" | "decidedBy"> & {
  era?: "modern" | "legacy";
  problem?: Problem;
};

function toOutcome({ only, keptState }: ReportParts, modern: EraVerdict, legacy: EraVerdict): Outcome {
  const era = newestEraOf(modern, legacy);
  // A hint about a server that did not answer is ignored.
  if (only && era) return { word: only.word, confidence: "low", decidedBy: only.method };
  const verdict = era === undefined ? undefined : { modern, legacy }[era];
  const word: Word = verdict?.word ?? "UNKNOWN";
  const problem = word === "UNKNOWN" ? (verdict?.problem ?? legacy.problem ?? modern.problem) : undefined;
  // The server needs no session of the protocol, but it may keep state elsewhere.
  const isDoubtful = word === "STATELESS" && keptState.length > 0;
  const confidence = isDoubtful ? "low" : (verdict?.confidence ?? "low");
  const base = { word, confidence, decidedBy: "behaviour" } as const;
  return { ...base, ...(era && { era }), ...(problem && { problem }) };
}

/** Builds the report for a statement of the operator, without any request. */
export function toStatedReport(target: ProbeTarget, stated: "stateless" | "stateful", mask: Mask): ProbeReport {
  const unasked: EraVerdict = { isSpoken: null, word: "UNKNOWN", revisions: [], confidence: "low", reasons: [] };
  const word = stated === "stateless" ? "STATELESS" : "STATEFUL";
  const advice: Advice =
    stated === "stateless"
      ? { pooling: "shared", text: "share kept-alive connections between all callers; no affinity" }
      : { pooling: "session-per-key", text: "keep a session for each caller, on the instance that issued it" };
  const report: ProbeReport = {
    ...{ version: 1, target: toTarget(target), word, confidence: "high", decidedBy: "configuration" },
    ...{ eras: { modern: unasked, legacy: unasked }, features: { capabilities: {} }, serverRequests: [], advice },
    ...{ instances: [], hints: [], keptState: [], leftovers: [], requests: 0, ms: 0, evidence: [], caution },
    remarks: ["the verdict is that of the configuration: use --method behaviour to probe"],
  };
  return maskTexts(report, mask);
}

function toTarget(target: ProbeTarget): ProbeReport["target"] {
  const name = target.name === undefined ? {} : { name: target.name };
  if (isHttpTarget(target)) return { ...name, kind: "http", address: target.url };
  return { ...name, kind: "command", address: [target.command, ...(target.args ?? [])].join(" ") };
}

/** Masks every text of a report, because any of them may contain text of the server. */
function maskTexts<T>(value: T, mask: Mask): T {
  if (typeof value === "string") return mask.apply(value) as T;
  if (Array.isArray(value)) return value.map((item) => maskTexts(item, mask)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, maskTexts(item, mask)])) as T;
}
