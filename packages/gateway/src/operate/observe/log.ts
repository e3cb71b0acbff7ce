// The operator's log: one entry for each thing that happens, as JSON, as words, or whatever the sink makes of it.
import type { Redactor } from "./redact.ts";

export type LogLevel = "info" | "warn" | "error";

export interface LogEntry {
  /** ISO 8601. */
  time: string;
  level: LogLevel;
  /** What happened, for machines: `upstream.ready`, `request`. */
  event: string;
  /** For people. */
  message?: string;
  [field: string]: unknown;
}

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Log {
  info(event: string, message: string, fields?: LogFields): void;
  warn(event: string, message: string, fields?: LogFields): void;
  error(event: string, message: string, fields?: LogFields): void;
  /** Fields without a message: a request that is done. */
  note(event: string, fields: object): void;
}

export type LogSink = (entry: LogEntry) => void;

/** Every text passes the redactor. */
export function createLog(sink: LogSink, redactor: Redactor): Log {
  function emit(level: LogLevel, event: string, message: string | undefined, fields: object): void {
    const entry: LogEntry = { time: new Date().toISOString(), level, event };
    if (message !== undefined) entry.message = redactor.text(message);
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value === "string") entry[name] = redactor.text(value);
      else if (value !== undefined) entry[name] = value instanceof Date ? value.toISOString() : value;
    }
    sink(entry);
  }
  return {
    info: (event, message, fields = {}) => emit("info", event, message, fields),
    warn: (event, message, fields = {}) => emit("warn", event, message, fields),
    error: (event, message, fields = {}) => emit("error", event, message, fields),
    note: (event, fields) => emit("info", event, undefined, fields),
  };
}

export function toJsonLine(entry: LogEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

/** One line, whatever is in it. `name=value`, quoted where it has to be. */
export function toTextLine({ time, level, event, message, ...fields }: LogEntry): string {
  const words = Object.entries(fields).map(([name, value]) => `${name}=${quoted(String(value))}`);
  const head = [time, level.toUpperCase().padEnd(5), event, ...(message === undefined ? [] : [message])];
  return `${[...head, ...words].join(" ").replace(controls, toEscape)}\n`;
}

/** What would end the line, or move the cursor of whoever reads it at a terminal. */
const controls = /[\p{Cc}\u2028\u2029]/gu;

function toEscape(control: string): string {
  const short = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }[control];
  return short ?? `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function quoted(text: string): string {
  return /^[^\s"=]+$/.test(text) ? text : JSON.stringify(text);
}
