// The lines of a report that text and Markdown share.
import type { InstanceFinding } from "../behaviour/findings.ts";
import type { Reason } from "../behaviour/modern-era.ts";
import type { Hint } from "../hints/hint.ts";
import type { EraVerdict } from "../verdict/era-verdict.ts";
import { toFeatureWords } from "../verdict/features.ts";
import type { ProbeReport } from "./report.ts";

/** One fact of a report: a title, a sentence, and further sentences as details. */
export interface Fact {
  readonly title: string;
  readonly text: string;
  readonly details: readonly string[];
}

const transportNames = {
  "streamable-http": "Streamable HTTP",
  "http-sse": "HTTP+SSE (2024-11-05)",
  stdio: "stdio",
} as const;

const keptBetweenCalls =
  "kept between calls? Probably, although the server has no sessions: callers that share it may see each other's state";

/** Lists the facts of a report as sentences, in the order of the report. */
export function toFacts(report: ProbeReport): Fact[] {
  const { eras, transport, features, serverRequests, advice, instances, hints, keptState, remarks, leftovers } = report;
  const offered = toFeatureWords(features);
  return [
    ...(report.problem ? [{ title: "why", text: report.problem.message, details: [report.problem.advice] }] : []),
    ...(features.server ? [fact("server", `${features.server.name} ${features.server.version}`)] : []),
    ...(transport ? [fact("transport", transportNames[transport])] : []),
    ...(report.decidedBy === "configuration"
      ? []
      : [toEra("modern era", eras.modern), toEra("legacy era", eras.legacy)]),
    ...(offered.length > 0 ? [fact("offers", offered.join(", "))] : []),
    ...(serverRequests.length > 0 ? [fact("asks clients", serverRequests.join(", "))] : []),
    ...instances.map(toInstance),
    fact("gateway", advice.text),
    ...(keptState.length > 0 ? [{ title: "state", text: keptBetweenCalls, details: keptState }] : []),
    // A hint without a reason is omitted.
    ...hints.filter(({ reasons }) => reasons.length > 0).map(toHintFact),
    ...remarks.map((remark) => fact("remark", remark)),
    ...leftovers.map(({ sessionId, answer }) =>
      fact("left behind", `session ${sessionId}: DELETE was answered by ${answer}`),
    ),
  ];
}

function toEra(title: string, verdict: EraVerdict): Fact {
  const { isSpoken, word, revisions, contract, isChecked, confidence, reasons, problem } = verdict;
  const details = reasons.map(toSentence);
  if (isSpoken === false) return { title, text: "not spoken", details };
  if (isSpoken === null)
    return { title, text: "UNKNOWN", details: problem ? [...details, toProblemLine(problem)] : details };
  const sessions = contract === undefined ? [] : [`sessions: ${contract}${isChecked ? ", ids checked" : ""}`];
  const text = [word, revisions.join(", "), ...sessions, `confidence ${confidence}`]
    .filter((part) => part !== "")
    .join("; ");
  return { title, text, details: problem ? [...details, toProblemLine(problem)] : details };
}

function toInstance({ kind, address, era, method, isAnyInstance, reasons }: InstanceFinding): Fact {
  const what = kind === "replica" ? `any instance (${era}, with ${address})` : `any process (${era})`;
  const text = isAnyInstance === null ? "not shown" : isAnyInstance ? "proven" : "disproved";
  return { title: kind, text: `${what}: ${text} by ${method}`, details: reasons.map(toSentence) };
}

function toHintFact({ method, word, score, reasons }: Hint): Fact {
  const text = `${method}: ${word} (${signed(score)})`;
  return { title: "hint", text, details: reasons.map((reason) => `${signed(reason.score)} ${reason.text}`) };
}

/** Appends the numbers of the exchanges that prove it. */
function toSentence({ text, exchanges }: Reason): string {
  return exchanges.length === 0 ? text : `${text} [${exchanges.join(", ")}]`;
}

function toProblemLine({ message, exchange }: { message: string; exchange?: number }): string {
  return toSentence({ text: message, exchanges: exchange === undefined ? [] : [exchange] });
}

function signed(score: number): string {
  return score > 0 ? `+${score}` : String(score);
}

function fact(title: string, text: string): Fact {
  return { title, text, details: [] };
}
