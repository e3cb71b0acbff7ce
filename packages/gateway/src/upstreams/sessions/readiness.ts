// Whether an upstream is up, and what requests end in that come before it is.
import type { McpError } from "@lethe/protocol";
import { upstreamError, upstreamOutage } from "../connection/upstream-error.ts";
import type { UpstreamSessions } from "./upstream-sessions.ts";

const untold = "has not told yet what it offers";
const untoldRetryAfterMs = 1_000;

/** It is down, or starts again: its own session is not open, and something failed. */
export function isMissing({ connection, upstream }: UpstreamSessions): boolean {
  return connection === undefined && upstream.breaker.failures > 0;
}

/** Its last start has failed, and it is started again without a call. */
export function isDown(sessions: UpstreamSessions): boolean {
  return isMissing(sessions) && sessions.upstream.hasFailedToStart && sessions.config.start !== "demand";
}

/** What a request ends in that needs what was never read of it. */
export function toUnready({ name, connection, upstream }: UpstreamSessions): McpError {
  if (!connection) return upstream.unavailable();
  return upstreamError(name, "unavailable", untold, { retryAfterMs: untoldRetryAfterMs });
}

/** The same for discover and lists: over HTTP it answers 503. */
export function toUnlisted({ name, connection, upstream }: UpstreamSessions): McpError {
  return connection ? upstreamOutage(name, untold, untoldRetryAfterMs) : upstream.unlisted();
}
