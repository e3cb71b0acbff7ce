// Builds the report of a comparison, which the text, Markdown and HTML formats share.
import type { Recording } from "../record/recording.ts";
import type { Comparison } from "../run/comparison.ts";
import type { UnavailableTransport } from "../run/unavailable-transport.ts";
import { measure, toEndpoint } from "./measure.ts";
import type { MeasuredTransport } from "./measured-transport.ts";
import { toMethod } from "./method.ts";
import { toShown } from "./observed.ts";
import { type ProbeFindings, toProbeFindings } from "./probe-findings.ts";
import { conclude, recommend } from "./recommend.ts";
import { toSequence } from "./sequence.ts";
import { toUniqueHeaders } from "./unique-headers.ts";
import { judge } from "./verdict.ts";

/** The comparison of the transports of one or more targets. */
export interface Report {
  readonly script: string;
  readonly transports: readonly MeasuredTransport[];
  /** Unavailable transports, with reason and evidence. */
  readonly unavailable: readonly UnavailableTransport[];
  /** Findings of the probe. Empty without a target. */
  readonly findings: readonly ProbeFindings[];
  /** One sentence: what follows from everything below. Undefined for recorded traffic, in which no feature was tried. */
  readonly conclusion: string | undefined;
  /** How the figures were made: runs, machine and versions, in sentences. */
  readonly method: readonly string[];
  /** Sentences in Markdown, one per line. */
  readonly recommendation: readonly string[];
}

/** Evaluates the recordings of a comparison: measures, verdicts on features, findings and a recommendation. */
export function toReport(comparison: Comparison): Report {
  const { script, recordings, unavailable = [], probes = [] } = comparison;
  const connected = recordings.filter(({ steps }) => steps[0]?.name !== "connect" || steps[0].outcome === "done");
  const unique = toUniqueHeaders(connected);
  const shown = toShown(connected);
  const transports = connected.map((recording): MeasuredTransport => {
    const { id, title, transport, endpoint, revision, remarks } = recording;
    return {
      ...{ id, title, kind: transport, endpoint, revision, remarks },
      measures: measure(recording),
      verdicts: judge(recording, shown),
      uniqueHeaders: unique.get(id) ?? [],
      sequence: toSequence(recording),
    };
  });
  const failed = recordings.filter((recording) => !connected.includes(recording)).map(toFailed);
  return {
    script,
    transports,
    unavailable: [...unavailable, ...failed],
    findings: probes.map(toProbeFindings),
    conclusion: conclude(transports),
    method: toMethod(comparison),
    recommendation: recommend(transports),
  };
}

function toFailed({ id, title, steps, exchanges }: Recording): UnavailableTransport {
  const last = exchanges.findLast(({ response }) => response);
  const evidence = last ? [`#${last.number} ${toEndpoint(last)} ← ${last.response?.status}`] : [];
  return { id, title, reason: steps[0]?.detail ?? "", evidence };
}

/** "server/discover was refused: 404 (probe #1)" */
export function toReason({ reason, evidence }: UnavailableTransport): string {
  return evidence.length === 0 ? reason : `${reason} (${evidence.join(", ")})`;
}

/** A report of recorded traffic, or of a single transport, is not titled as a comparison. */
export function toTitle({ transports }: Report): string {
  const [transport] = transports;
  if (transports.length > 1 || !transport) return "Transports compared";
  return transport.verdicts.length === 0 ? transport.title : `One transport: ${transport.title}`;
}

export function toHeadersTitle({ transports }: Report): string {
  const isAlone = transports.filter(({ kind }) => kind === "http").length < 2;
  return isAlone ? "Header fields" : "Headers that only one transport uses";
}
