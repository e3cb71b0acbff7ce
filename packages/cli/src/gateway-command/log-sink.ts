// Writes the log of the gateway: readable text for a terminal, lines for log collectors.
import { type LogEntry, type LogFormat, type LogSink, toJsonLine, toTextLine } from "@lethe/gateway";
import { toPrintable } from "../terminal/printable.ts";
import type { Style } from "../terminal/style.ts";

export interface LogSinkOptions {
  /** Undefined for a terminal. */
  format: LogFormat | undefined;
  style: Style;
  /** At a terminal, also prints requests and the stderr of servers. */
  isVerbose: boolean;
  /** True after the banner was printed. Earlier events are not printed. */
  hasTold(): boolean;
  /** A server that fails earlier ends the command with its own message. */
  endsOnFailure: boolean;
  write(text: string): void;
}

const chatty: ReadonlySet<string> = new Set(["request", "request.refused", "upstream.stderr", "gateway.stopped"]);
/** Events of the start that the banner contains. */
const shownByBanner: ReadonlySet<string> = new Set(["upstream.verdict", "upstream.stateful", "gateway.listening"]);
/** Events that the final message of a failed start contains. */
const shownByFailure: ReadonlySet<string> = new Set(["upstream.failed", "gateway.stopping"]);

export function createLogSink(options: LogSinkOptions): LogSink {
  const { format, style, isVerbose, hasTold, endsOnFailure, write } = options;
  if (format !== undefined) {
    const toLine = format === "json" ? toJsonLine : toTextLine;
    return (entry) => {
      if (entry.event !== "upstream.stderr" || isVerbose) write(toLine(entry));
    };
  }
  const repeats = createRepeats();
  return (entry) => {
    const isTold = shownByBanner.has(entry.event) || (endsOnFailure && shownByFailure.has(entry.event));
    if ((isTold && !hasTold()) || repeats(entry)) return;
    if (isVerbose || !chatty.has(entry.event)) write(`${toWords(entry, style)}\n`);
  };
}

/** Returns true for a failure that repeats the last one of a server. */
function createRepeats(): (entry: LogEntry) => boolean {
  const lastFailures = new Map<unknown, unknown>();
  return ({ event, upstream, reason }) => {
    if (event === "upstream.ready") lastFailures.delete(upstream);
    if (event !== "upstream.failed") return false;
    const failure = withoutVolatile(String(reason));
    const isRepeated = lastFailures.get(upstream) === failure;
    lastFailures.set(upstream, failure);
    return isRepeated;
  };
}

/** Replaces digits, because times, process ids and names of log files differ at each start. */
function withoutVolatile(reason: string): string {
  return reason.replace(/\d+/g, "#");
}

function toWords(entry: LogEntry, style: Style): string {
  const text = toPrintable(entry.message ?? "");
  switch (entry.event) {
    case "upstream.ready":
      return `${style.green("✓")} ${text}`;
    case "upstream.failed":
      return `${style.red("✗")} ${text}\n  ${style.dim("retrying with exponential backoff")}`;
    case "upstream.stderr":
      return style.dim(`${String(entry.upstream)}: ${text}`);
    case "request":
      return style.dim(toRequestWords(entry));
    default:
      return `${entry.level === "error" ? style.red("✗") : entry.level === "warn" ? style.yellow("!") : " "} ${text}`;
  }
}

function toRequestWords({ method, name, caller, outcome, code, ms, reason, detail }: LogEntry): string {
  const who = caller === undefined ? "" : ` for ${toPrintable(String(caller))}`;
  const what = name === undefined ? "" : ` ${toPrintable(String(name))}`;
  const ended = [outcome, code, reason].filter((word) => word !== undefined).map(String);
  const why = detail === undefined ? "" : `: ${toPrintable(String(detail))}`;
  return `${toPrintable(String(method))}${what}${who}: ${ended.join(" ")} in ${String(ms)} ms${why}`;
}
