// Formats the results of a run: one line per target.
import type { TargetOutcome } from "./run-target.ts";
import { failureKinds } from "./target.ts";

const heads = ["target", "inputs", ...failureKinds, "heap MiB before", "after", "RSS MiB peak", "longest turn ms"];

export function toTable(outcomes: readonly TargetOutcome[]): string {
  const rows = outcomes.map(toRow);
  const total = outcomes.reduce((sum, { inputs }) => sum + inputs, 0);
  const sums = failureKinds.map((_, index) => rows.reduce((sum, row) => sum + Number(row[index + 2]), 0));
  const all = [heads, ...rows, ["all", total.toLocaleString("en"), ...sums.map(String), "", "", "", ""]];
  const widths = heads.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const toLine = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ");
  return all.map(toLine).join("\n");
}

function toRow({ name, inputs, failures, untold, result }: TargetOutcome): string[] {
  const counts = failureKinds.map((kind) => failures.filter((failure) => failure.kind === kind).length);
  // Further failures count as the kind of the last one.
  const last = failures.at(-1);
  if (last && untold > 0) {
    const index = failureKinds.indexOf(last.kind);
    counts[index] = (counts[index] ?? 0) + untold;
  }
  const toMib = (bytes: number | undefined): string => (bytes === undefined ? "-" : (bytes / 1024 ** 2).toFixed(0));
  return [
    name,
    inputs.toLocaleString("en"),
    ...counts.map(String),
    toMib(result?.first.heapBytes),
    toMib(result?.last.heapBytes),
    toMib(result?.peakRssBytes),
    result ? result.maxBusyMs.toFixed(0) : "-",
  ];
}
