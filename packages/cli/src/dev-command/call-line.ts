// One call as a line: method, target, duration, outcome, client.
import type { CallOutcome, CallReport } from "@lethe/dev";
import { toPrintableLine } from "../terminal/printable.ts";
import type { Style } from "../terminal/style.ts";

/** Characters of each column; longer text moves what follows. */
const columns = { method: 16, target: 20, duration: 8 } as const;
const maxText = 160;

export function toCallLine(
  { method, target, durationMs, outcome, client, isLegacy }: CallReport,
  style: Style,
): string {
  const called = method.padEnd(columns.method);
  const name = toPrintableLine(target ?? "").padEnd(columns.target);
  const taken = toDuration(durationMs).padStart(columns.duration);
  const from = [client === undefined ? "" : shorten(client), isLegacy ? "(older revision)" : ""].filter(
    (part) => part !== "",
  );
  return `${called}  ${name}  ${style.dim(taken)}  ${toOutcome(outcome, style)}${style.dim(from.map((part) => `  ${part}`).join(""))}`;
}

function toOutcome(outcome: CallOutcome, style: Style): string {
  switch (outcome.kind) {
    case "ok":
      return style.green("ok");
    case "input":
      return style.yellow("waits for input");
    case "task":
      return style.yellow("runs as a task");
    case "cancelled":
      return style.dim("ended by the client");
    case "toolError":
      return style.red(`tool error: ${shorten(outcome.text)}`);
    case "error":
      return style.red(`error ${shorten(outcome.text)}`);
  }
}

function toDuration(ms: number): string {
  if (ms < 10_000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  return `${Math.round(ms / 1_000)} s`;
}

function shorten(text: string): string {
  const printable = toPrintableLine(text);
  return printable.length > maxText ? `${printable.slice(0, maxText - 1)}…` : printable;
}
