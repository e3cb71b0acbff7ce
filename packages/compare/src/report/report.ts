// The report of a comparison: everything that is derived from the recordings, ready to be shown in any form.
import type { Recording } from "../record/recording.ts";
import type { Comparison } from "../run/comparison.ts";
import { type Measures, measure } from "./measure.ts";
import { recommend } from "./recommend.ts";
import { type SequencePart, toSequence } from "./sequence.ts";
import { toUniqueHeaders, type UniqueHeader } from "./unique-headers.ts";
import { judge, type Verdict } from "./verdict.ts";

export interface Way {
  readonly id: string;
  readonly title: string;
  readonly transport: Recording["transport"];
  readonly endpoint: string;
  readonly revision: string | undefined;
  readonly measures: Measures;
  readonly verdicts: readonly Verdict[];
  readonly uniqueHeaders: readonly UniqueHeader[];
  readonly sequence: readonly SequencePart[];
  readonly remarks: readonly string[];
}

export interface Report {
  readonly script: string;
  readonly ways: readonly Way[];
  /** Ways that could not be taken, and why. */
  readonly absent: readonly { readonly title: string; readonly reason: string }[];
  /** Markdown of one line each. */
  readonly recommendation: readonly string[];
}

export function toReport({ script, recordings }: Comparison): Report {
  const taken = recordings.filter(({ steps }) => steps[0]?.name !== "connect" || steps[0].outcome === "done");
  const unique = toUniqueHeaders(taken);
  const ways = taken.map((recording): Way => {
    const { id, title, transport, endpoint, revision, remarks } = recording;
    return {
      ...{ id, title, transport, endpoint, revision, remarks },
      measures: measure(recording),
      verdicts: judge(recording),
      uniqueHeaders: unique.get(id) ?? [],
      sequence: toSequence(recording),
    };
  });
  const absent = recordings
    .filter((recording) => !taken.includes(recording))
    .map(({ title, steps }) => ({ title, reason: steps[0]?.detail ?? "" }));
  return { script, ways, absent, recommendation: recommend(ways) };
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
