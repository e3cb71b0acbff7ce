// Notifications that belong to one running request: progress (E.4) and log messages (E.5).
import type { JsonRpcNotification } from "../jsonrpc/message.ts";
import type { ProgressToken } from "../meta/envelope.ts";
import { notificationMethod } from "./methods.ts";

// E-41
/** Log levels, from least to most severe. */
export const logLevels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;

/** The severity of a log message. */
export type LogLevel = (typeof logLevels)[number];

/** True for a log level. */
export function isLogLevel(value: unknown): value is LogLevel {
  return (logLevels as readonly unknown[]).includes(value);
}

/** True if `level` is at least as severe as `threshold`. */
export function isAtLeast(level: LogLevel, threshold: LogLevel): boolean {
  return logLevels.indexOf(level) >= logLevels.indexOf(threshold);
}

/** Progress of a running request. */
export interface Progress {
  // E-35
  /** Increases with each notification of a request. */
  progress: number;
  total?: number;
  message?: string;
}

/** A progress notification for the request with this token. */
export function toProgress(token: ProgressToken, progress: Progress): JsonRpcNotification {
  return { jsonrpc: "2.0", method: notificationMethod.progress, params: { progressToken: token, ...progress } };
}

/** A log message of a server. */
export interface LogMessage {
  level: LogLevel;
  logger?: string;
  data: unknown;
}

/** A log notification. */
export function toLogNotification(message: LogMessage): JsonRpcNotification {
  return { jsonrpc: "2.0", method: notificationMethod.message, params: { ...message } };
}
