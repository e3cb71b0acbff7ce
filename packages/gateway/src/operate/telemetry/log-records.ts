// Entries of the gateway's log as OpenTelemetry log records. Secrets are masked before.
import type { Context } from "@opentelemetry/api";
import type { Logger, LogRecord } from "@opentelemetry/api-logs";
import type { LogEntry, LogLevel, LogSink } from "../observe/log.ts";

const severities: Readonly<Record<LogLevel, number>> = { info: 9, warn: 13, error: 17 };

/** `context` returns the running span, which the record refers to. */
export function createLogRecords(logger: Logger, context: () => Context): LogSink {
  return (entry) => logger.emit({ ...toLogRecord(entry), context: context() });
}

/** The record has the trace as its own members, so the attributes leave it out. */
function toLogRecord({ time, level, event, message, trace_id, span_id, ...fields }: LogEntry): LogRecord {
  return {
    timestamp: new Date(time),
    severityNumber: severities[level],
    severityText: level.toUpperCase(),
    eventName: event,
    ...(message !== undefined && { body: message }),
    attributes: fields as NonNullable<LogRecord["attributes"]>,
  };
}
