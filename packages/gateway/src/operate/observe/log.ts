// The operator's log: one entry per event, formatted as JSON or as text by the sink.
import type { Redactor } from "./redact.ts";

export type LogLevel = "info" | "warn" | "error";

/** One log entry. Further members depend on the event. */
export interface LogEntry {
  /** ISO 8601. */
  time: string;
  level: LogLevel;
  /** The kind of event, for programs: `upstream.ready`, `request`. */
  event: string;
  /** The message, for people. */
  message?: string;
  [field: string]: unknown;
}

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Log {
  info(event: string, message: string, fields?: LogFields): void;
  warn(event: string, message: string, fields?: LogFields): void;
  error(event: string, message: string, fields?: LogFields): void;
  /** Logs fields without a message, such as a finished request. */
  note(event: string, fields: object): void;
}

/** Receives log entries. Secrets are masked already. */
export type LogSink = (entry: LogEntry) => void;

/** Names the running span in entries. */
export type FindSpan = () => { readonly trace_id: string; readonly span_id: string } | undefined;

/** Masks secrets in every text. Entries of a request contain its trace, if there is one. */
export function createLog(sink: LogSink, redactor: Redactor, findSpan: FindSpan = () => undefined): Log {
  function emit(level: LogLevel, event: string, message: string | undefined, fields: object): void {
    const entry: LogEntry = { time: new Date().toISOString(), level, event };
    if (message !== undefined) entry.message = redactor.text(message);
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value === "string") entry[name] = redactor.text(value);
      else if (value !== undefined) entry[name] = value instanceof Date ? value.toISOString() : value;
    }
    sink(Object.assign(entry, findSpan()));
  }
  return {
    info: (event, message, fields = {}) => emit("info", event, message, fields),
    warn: (event, message, fields = {}) => emit("warn", event, message, fields),
    error: (event, message, fields = {}) => emit("error", event, message, fields),
    note: (event, fields) => emit("info", event, undefined, fields),
  };
}

/** Formats an entry as one line of JSON, with a newline at its end. */
export function toJsonLine(entry: LogEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

/** Formats an entry as one line: `name=value`, quoted where needed. */
export function toTextLine({ time, level, event, message, ...fields }: LogEntry): string {
  const words = Object.entries(fields).map(([name, value]) => `${name}=${quoted(String(value))}`);
  const head = [time, level.toUpperCase().padEnd(5), event, ...(message === undefined ? [] : [message])];
  return `${[...head, ...words].join(" ").replace(controls, toEscape)}\n`;
}

/** Characters that end the line or control the terminal. */
const controls = /[\p{Cc}\u2028\u2029]/gu;

function toEscape(control: string): string {
  const short = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }[control];
  return short ?? `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function quoted(text: string): string {
  return /^[^\s"=]+$/.test(text) ? text : JSON.stringify(text);
}
