// How the figures of a report were made, so that a reader can judge and repeat them.
import { toEnvironmentText, toMinuteText } from "@lethe/probe/html";
import type { Comparison } from "../run/comparison.ts";

/** Sentences without markup. */
export function toMethod({ script, runs = 1, environment, recordings: [first] }: Comparison): string[] {
  const times =
    runs > 1
      ? `Times are medians of ${runs} runs, with their range`
      : "Times are from a single run (--runs takes more)";
  const at = first ? [`Recorded on ${toMinuteText(first.startedAt)}.`] : [];
  return [
    `Script: ${script}.`,
    `All figures were recorded between client and server. ${times}; everything else is from the first run.`,
    ...at,
    ...(environment ? [toEnvironmentText(environment)] : []),
  ];
}
