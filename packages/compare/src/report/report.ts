// The report of a comparison: everything that is derived from the recordings, ready to be shown in any form.
import type { Comparison } from "../run/comparison.ts";
import { measure } from "./measure.ts";
import type { MeasuredWay } from "./measured-way.ts";
import { recommend } from "./recommend.ts";
import { toSequence } from "./sequence.ts";
import { toUniqueHeaders } from "./unique-headers.ts";
import { judge } from "./verdict.ts";

export interface Report {
  readonly script: string;
  readonly ways: readonly MeasuredWay[];
  /** Ways that could not be taken, and why. */
  readonly absent: readonly { readonly title: string; readonly reason: string }[];
  /** Markdown of one line each. */
  readonly recommendation: readonly string[];
}

export function toReport({ script, recordings }: Comparison): Report {
  const taken = recordings.filter(({ steps }) => steps[0]?.name !== "connect" || steps[0].outcome === "done");
  const unique = toUniqueHeaders(taken);
  const ways = taken.map((recording): MeasuredWay => {
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
