// The quick comparison as rows of text: one column for each way.
import { features } from "../script/script.ts";
import { type Counts, countOf } from "./measure.ts";
import type { MeasuredWay } from "./measured-way.ts";

export interface Row {
  readonly label: string;
  /** Each cell as its lines. */
  readonly cells: readonly (readonly string[])[];
  /** What the cells say as numbers, where they are to be compared: the less, the better. */
  readonly amounts?: readonly (number | undefined)[];
}

export function toRows(ways: readonly MeasuredWay[]): Row[] {
  const row = (label: string, of: (way: MeasuredWay) => readonly string[]): Row => ({
    label,
    cells: ways.map((way) => orNone(of(way))),
  });
  const amount = (label: string, of: (way: MeasuredWay) => number | undefined, show: (of: number) => string): Row => {
    const amounts = ways.map(of);
    return { label, amounts, cells: amounts.map((one) => [one === undefined ? "–" : show(one)]) };
  };
  const http = (way: MeasuredWay, lines: readonly string[]): readonly string[] =>
    way.transport === "http" ? lines : [];
  return [
    row("Endpoint", ({ measures }) => measures.endpoints),
    row("Session management", ({ measures }) => [measures.session]),
    row("Long-lived connections", ({ measures }) =>
      toLines(countOf(measures.longLived.map(({ what }) => what)), "none"),
    ),
    row("TCP connections", (way) => http(way, [String(way.measures.connections)])),
    row("Requests by verb, or lines", ({ measures }) => toLines(measures.requests)),
    row("Status codes", (way) => http(way, toLines(way.measures.statuses))),
    row("Content types", ({ measures }) => toLines(measures.contentTypes)),
    row("Cache headers", ({ measures }) => toLines(measures.cacheHeaders)),
    row("Cache hints in results", ({ measures }) => toLines(measures.cacheHints)),
    amount("Messages", ({ measures }) => measures.messages, String),
    amount("Bytes sent", ({ measures }) => measures.bytesUp, toBytes),
    amount("Bytes received", ({ measures }) => measures.bytesDown, toBytes),
    amount("Sent until the first result", ({ measures }) => measures.sentToFirstResult, String),
    amount("Time to the first result", ({ measures }) => measures.firstResultMs, toMs),
  ];
}

/** The marks only; their evidence is in the verdicts. */
export function toMatrix(ways: readonly MeasuredWay[]): Row[] {
  const tried = Object.entries(features).filter(([feature]) =>
    ways.some(({ verdicts }) => verdicts.some((verdict) => verdict.feature === feature)),
  );
  return tried.map(([feature, label]) => ({
    label,
    cells: ways.map(({ verdicts }) => [verdicts.find((verdict) => verdict.feature === feature)?.mark ?? "—"]),
  }));
}

export function toMs(ms: number | undefined): string {
  return ms === undefined ? "" : `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

/** With a thin group separator, as the numbers stand beside each other. */
export function toBytes(bytes: number): string {
  return bytes.toLocaleString("en").replaceAll(",", "\u202f");
}

function toLines(counts: Counts, none = "–"): string[] {
  const lines = Object.entries(counts).map(([word, times]) => `${times} × ${word}`);
  return lines.length === 0 ? [none] : lines;
}

function orNone(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? ["–"] : lines;
}
