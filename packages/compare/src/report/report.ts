// The report of a comparison: everything that is derived from the recordings, ready to be shown in any form.

import type { Recording } from "../record/recording.ts";
import type { AbsentWay } from "../run/absent-way.ts";
import type { Comparison } from "../run/comparison.ts";
import { type Found, toFound } from "./found.ts";
import { measure, toEndpoint } from "./measure.ts";
import type { MeasuredWay } from "./measured-way.ts";
import { toShown } from "./observed.ts";
import { recommend } from "./recommend.ts";
import { toSequence } from "./sequence.ts";
import { toUniqueHeaders } from "./unique-headers.ts";
import { judge } from "./verdict.ts";

export interface Report {
  readonly script: string;
  readonly ways: readonly MeasuredWay[];
  /** Ways that could not be taken, and why. */
  readonly absent: readonly AbsentWay[];
  /** Of a target. */
  readonly found: readonly Found[];
  /** Markdown of one line each. */
  readonly recommendation: readonly string[];
}

export function toReport({ script, recordings, absent = [], probes = [] }: Comparison): Report {
  const taken = recordings.filter(({ steps }) => steps[0]?.name !== "connect" || steps[0].outcome === "done");
  const unique = toUniqueHeaders(taken);
  const shown = toShown(taken);
  const ways = taken.map((recording): MeasuredWay => {
    const { id, title, transport, endpoint, revision, remarks } = recording;
    return {
      ...{ id, title, transport, endpoint, revision, remarks },
      measures: measure(recording),
      verdicts: judge(recording, shown),
      uniqueHeaders: unique.get(id) ?? [],
      sequence: toSequence(recording),
    };
  });
  const failed = recordings.filter((recording) => !taken.includes(recording)).map(toFailed);
  return { script, ways, absent: [...absent, ...failed], found: probes.map(toFound), recommendation: recommend(ways) };
}

function toFailed({ id, title, steps, exchanges }: Recording): AbsentWay {
  const last = exchanges.findLast(({ response }) => response);
  const evidence = last ? [`#${last.number} ${toEndpoint(last)} ← ${last.response?.status}`] : [];
  return { id, title, reason: steps[0]?.detail ?? "", evidence };
}

/** "server/discover was refused: 404 (probe #1)" */
export function toReason({ reason, evidence }: AbsentWay): string {
  return evidence.length === 0 ? reason : `${reason} (${evidence.join(", ")})`;
}

/** In recorded traffic nothing was tried, and one way has nothing to be compared with. */
export function toTitle({ ways }: Report): string {
  const [way] = ways;
  if (ways.length > 1 || !way) return "Transports compared";
  return way.verdicts.length === 0 ? way.title : `One transport: ${way.title}`;
}

export function toHeadersTitle({ ways }: Report): string {
  const isAlone = ways.filter(({ transport }) => transport === "http").length < 2;
  return isAlone ? "Header fields" : "Headers that no other way has";
}
