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
  /** A server that fails before that is the end, with words of its own. */
  endsOnFailure: boolean;
  write(text: string): void;
}

const chatty: ReadonlySet<string> = new Set(["request", "request.refused", "upstream.stderr", "gateway.stopped"]);
/** Of the start: a banner says it. */
const shownByBanner: ReadonlySet<string> = new Set(["upstream.verdict", "upstream.stateful", "gateway.listening"]);
/** Of a start that is the end. */
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

/** True for a server that fails once more as it did before: it is tried for ever, and a person has been told. */
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

/** Times, process ids and the names of log files differ at each start, as in npm's "A complete log of this run". */
function withoutVolatile(reason: string): string {
  return reason.replace(/\d+/g, "#");
}

function toWords(entry: LogEntry, style: Style): string {
  const text = toPrintable(entry.message ?? "");
  switch (entry.event) {
    case "upstream.ready":
      return `${style.green("✓")} ${text}`;
    case "upstream.failed":
      return `${style.red("✗")} ${text}\n  ${style.dim("starting it again until it works, less and less often")}`;
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
