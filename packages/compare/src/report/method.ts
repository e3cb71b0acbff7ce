// How the figures of a report were made, so that a reader can judge and repeat them.
import type { Comparison } from "../run/comparison.ts";

/** Sentences without markup. */
export function toMethod({ script, runs = 1, environment, recordings: [first] }: Comparison): string[] {
  const times =
    runs > 1
      ? `Times are medians of ${runs} runs, with their range`
      : "Times are from a single run (--runs takes more)";
  const at = first
    ? [`Recorded on ${new Date(first.startedAt).toISOString().slice(0, 16).replace("T", ", ")} UTC.`]
    : [];
  return [
    `Script: ${script}.`,
    `All figures were recorded between client and server. ${times}; everything else is from the first run.`,
    ...at,
    ...(environment ? [toEnvironmentText(environment)] : []),
  ];
}

function toEnvironmentText(environment: NonNullable<Comparison["environment"]>): string {
  const { product, runtime, system, processors, memoryGiB, load } = environment;
  const busy = load === undefined ? "" : `, load average ${load}`;
  return `${product}, ${runtime}, ${system}, ${processors}, ${memoryGiB} GiB${busy}.`;
}
