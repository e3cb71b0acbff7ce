// How the gateway's log reaches whoever runs it: words for a person at a terminal, lines for everything that collects logs.
import { type LogEntry, type LogFormat, type LogSink, toJsonLine, toTextLine } from "@lethe/gateway";
import { toPrintable } from "../terminal/printable.ts";
import type { Style } from "../terminal/style.ts";

export interface LogSinkOptions {
  /** Undefined: for a person. */
  format: LogFormat | undefined;
  style: Style;
  /** Also requests and what servers write to their stderr, where a person reads. */
  isVerbose: boolean;
  /** The servers' verdicts have been printed: from now on only what is new is told. */
  hasTold(): boolean;
  write(text: string): void;
}

const chatty: ReadonlySet<string> = new Set(["request", "request.refused", "upstream.stderr"]);
/** Of the start: a table says it. */
const tabled: ReadonlySet<string> = new Set(["upstream.verdict", "upstream.stateful"]);

export function createLogSink({ format, style, isVerbose, hasTold, write }: LogSinkOptions): LogSink {
  if (format !== undefined) {
    const toLine = format === "json" ? toJsonLine : toTextLine;
    return (entry) => {
      if (entry.event !== "upstream.stderr" || isVerbose) write(toLine(entry));
    };
  }
  return (entry) => {
    if (tabled.has(entry.event) && !hasTold()) return;
    if (isVerbose || !chatty.has(entry.event)) write(`${toWords(entry, style)}\n`);
  };
}

function toWords(entry: LogEntry, style: Style): string {
  const text = toPrintable(entry.message ?? "");
  switch (entry.event) {
    case "upstream.ready":
      return `${style.green("✓")} ${text}`;
    case "upstream.failed":
      return `${style.red("✗")} ${text}; starting it again in ${(Number(entry.restartInMs) / 1_000).toFixed(1)} s`;
    case "upstream.stderr":
      return style.dim(`${String(entry.upstream)}: ${text}`);
    case "request":
      return style.dim(toRequestWords(entry));
    default:
      return `${entry.level === "error" ? style.red("✗") : entry.level === "warn" ? style.yellow("!") : " "} ${text}`;
  }
}

function toRequestWords({ method, name, caller, outcome, code, ms }: LogEntry): string {
  const who = caller === undefined ? "" : ` for ${toPrintable(String(caller))}`;
  const what = name === undefined ? "" : ` ${toPrintable(String(name))}`;
  return `${toPrintable(String(method))}${what}${who}: ${String(outcome)}${code === undefined ? "" : ` ${String(code)}`} in ${String(ms)} ms`;
}
