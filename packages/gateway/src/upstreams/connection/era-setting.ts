// What to do where the connection to a server fails before its era is known.
import { isTransportError, TransportError, type TransportErrorReason } from "@lethe/client";
import type { UpstreamConfig } from "../../config/upstream-config.ts";

/** The server was reached and did not say what it speaks. */
const undecided: ReadonlySet<TransportErrorReason> = new Set(["status", "invalid", "lost", "timeout"]);

/** A server that has too much to do says so by its status: more requests would not help. */
export function isUndecided(error: unknown): error is TransportError {
  return isTransportError(error) && undecided.has(error.reason) && error.status !== 429 && error.status !== 503;
}

/** The error with the setting that would have helped. */
export function withEraSetting(error: unknown, { name, era }: Pick<UpstreamConfig, "name" | "era">): unknown {
  if (!isUndecided(error)) return error;
  const setting = `gateway.upstreams.${name}.era`;
  const advice =
    era === undefined
      ? `if you know what it speaks, set ${setting} to "modern" or "legacy"`
      : `${setting} is "${era}"; remove it to let the gateway find out`;
  const { reason, message, status, retryAfterMs } = error;
  return new TransportError(reason, `${message}; ${advice}`, {
    cause: error,
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}
