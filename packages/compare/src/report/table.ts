// The quick comparison as rows of text: one column for each way.
import { features } from "../script/script.ts";
import type { Counts } from "./measure.ts";
import type { Way } from "./report.ts";

export interface Row {
  readonly label: string;
  readonly cells: readonly string[];
}

export function toRows(ways: readonly Way[]): Row[] {
  const row = (label: string, of: (way: Way) => string): Row => ({ label, cells: ways.map((way) => of(way) || "–") });
  return [
    row("Endpoint", ({ measures }) => measures.endpoints.join(", ")),
    row("Session management", ({ measures }) => measures.session),
    row("Long-lived connections", ({ measures }) => listOf(measures.longLived.map(({ what }) => what))),
    row("TCP connections", ({ measures, transport }) => (transport === "http" ? String(measures.connections) : "")),
    row("Requests by verb, or lines", ({ measures }) => toText(measures.requests)),
    row("Status codes", ({ measures, transport }) => (transport === "http" ? toText(measures.statuses) : "")),
    row("Content types", ({ measures }) => toText(measures.contentTypes)),
    row("Cache headers", ({ measures }) => toText(measures.cacheHeaders)),
    row("Cache hints in results", ({ measures }) => toText(measures.cacheHints)),
    row("Messages", ({ measures }) => String(measures.messages)),
    row("Bytes sent", ({ measures }) => toBytes(measures.bytesUp)),
    row("Bytes received", ({ measures }) => toBytes(measures.bytesDown)),
    row("Sent until the first result", ({ measures }) => String(measures.sentToFirstResult ?? "")),
    row("Time to the first result", ({ measures }) => toMs(measures.firstResultMs)),
  ];
}

/** The marks only; their evidence is in the verdicts. */
export function toMatrix(ways: readonly Way[]): Row[] {
  const tried = Object.entries(features).filter(([feature]) =>
    ways.some(({ verdicts }) => verdicts.some((verdict) => verdict.feature === feature)),
  );
  return tried.map(([feature, label]) => ({
    label,
    cells: ways.map(({ verdicts }) => verdicts.find((verdict) => verdict.feature === feature)?.mark ?? "—"),
  }));
}

export function toMs(ms: number | undefined): string {
  return ms === undefined ? "" : `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

/** With a thin group separator, as the numbers stand beside each other. */
export function toBytes(bytes: number): string {
  return bytes.toLocaleString("en").replaceAll(",", "\u202f");
}

function toText(counts: Counts): string {
  return Object.entries(counts)
    .map(([word, times]) => `${times} × ${word}`)
    .join(", ");
}

/** Equal ones once, with their number. */
function listOf(words: readonly string[]): string {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return toText(counts) || "none";
}
