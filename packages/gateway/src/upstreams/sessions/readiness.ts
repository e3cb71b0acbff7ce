// Whether an upstream is up, and the errors for requests that arrive before it is.
import type { McpError } from "@lethe/protocol";
import { notStarted, upstreamOutage } from "../connection/upstream-error.ts";
import type { UpstreamSessions } from "./upstream-sessions.ts";

const untold = "has not listed its features yet";
const untoldRetryAfterMs = 1_000;

/** Whether the upstream is down or restarting: something failed, and the gateway's own session is not open. */
export function isMissing({ connection, upstream }: UpstreamSessions): boolean {
  return connection === undefined && upstream.breaker.failures > 0;
}

/** Whether the last start failed and the gateway restarts the upstream without waiting for a call. */
export function isDown(sessions: UpstreamSessions): boolean {
  return isMissing(sessions) && sessions.upstream.hasFailedToStart && sessions.config.start !== "demand";
}

/** The error for a request that needs lists which were never read. */
export function toUnready({ name, connection, upstream }: UpstreamSessions): McpError {
  if (!connection) return upstream.unavailable();
  return notStarted(name, "unavailable", untold, { retryAfterMs: untoldRetryAfterMs });
}

/** The same error for discover and lists. Over HTTP it has status 503. */
export function toUnlisted({ name, connection, upstream }: UpstreamSessions): McpError {
  return connection ? upstreamOutage(name, untold, untoldRetryAfterMs) : upstream.unlisted();
}
