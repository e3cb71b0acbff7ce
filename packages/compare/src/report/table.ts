// Builds the comparison and feature tables, with one column for each transport.
import { features } from "../script/script.ts";
import { type Counts, countOf } from "./measure.ts";
import type { MeasuredTransport } from "./measured-transport.ts";

export interface Row {
  readonly label: string;
  /** The lines of each cell. */
  readonly cells: readonly (readonly string[])[];
  /** The cells as numbers, for bars. Less is better. */
  readonly amounts?: readonly (number | undefined)[];
}

export function toRows(transports: readonly MeasuredTransport[]): Row[] {
  const row = (label: string, of: (transport: MeasuredTransport) => readonly string[]): Row => ({
    label,
    cells: transports.map((transport) => orNone(of(transport))),
  });
  const amount = (
    label: string,
    of: (transport: MeasuredTransport) => number | undefined,
    show: (of: number) => string,
  ): Row => {
    const amounts = transports.map(of);
    return { label, amounts, cells: amounts.map((one) => [one === undefined ? "–" : show(one)]) };
  };
  const http = (transport: MeasuredTransport, lines: readonly string[]): readonly string[] =>
    transport.kind === "http" ? lines : [];
  return [
    row("Endpoint", ({ measures }) => measures.endpoints),
    row("Session management", ({ measures }) => [measures.session]),
    row("Long-lived connections", ({ measures }) =>
      toLines(countOf(measures.longLived.map(({ what }) => what)), "none"),
    ),
    row("TCP connections", (transport) => http(transport, [String(transport.measures.connections)])),
    row("Requests by verb, or lines", ({ measures }) => toLines(measures.requests)),
    row("Status codes", (transport) => http(transport, toLines(transport.measures.statuses))),
    row("Content types", ({ measures }) => toLines(measures.contentTypes)),
    row("Cache headers", ({ measures }) => toLines(measures.cacheHeaders)),
    row("Cache hints in results", ({ measures }) => toLines(measures.cacheHints)),
    amount("Messages", ({ measures }) => measures.messages, String),
    amount("Bytes sent", ({ measures }) => measures.bytesUp, toBytes),
    amount("Bytes received", ({ measures }) => measures.bytesDown, toBytes),
    amount("Sent until the first result", ({ measures }) => measures.sentToFirstResult, String),
    withRange(
      amount("Time to the first result", ({ measures }) => measures.firstResultMs, toMs),
      transports,
    ),
  ];
}

/** The range of several runs below their median. */
function withRange(row: Row, transports: readonly MeasuredTransport[]): Row {
  const cells = row.cells.map((lines, index) => {
    const range = toRange(transports[index]?.measures.firstResults ?? []);
    return range === undefined ? lines : [...lines, range];
  });
  return { ...row, cells };
}

/** "18 to 24 ms in 5 runs". Undefined for a single run. */
export function toRange(sorted: readonly number[]): string | undefined {
  const [least, most] = [sorted[0], sorted.at(-1)];
  if (least === undefined || most === undefined || sorted.length < 2) return undefined;
  return `${toMs(least).replace(" ms", "")} to ${toMs(most)} in ${sorted.length} runs`;
}

/** The marks only. The verdicts contain the evidence. */
export function toMatrix(transports: readonly MeasuredTransport[]): Row[] {
  const tried = Object.entries(features).filter(([feature]) =>
    transports.some(({ verdicts }) => verdicts.some((verdict) => verdict.feature === feature)),
  );
  return tried.map(([feature, label]) => ({
    label,
    cells: transports.map(({ verdicts }) => [verdicts.find((verdict) => verdict.feature === feature)?.mark ?? "—"]),
  }));
}

export function toMs(ms: number | undefined): string {
  return ms === undefined ? "" : `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

/** Groups digits with a narrow no-break space. */
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
