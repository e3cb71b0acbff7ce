// Handles a connection that fails before the era of its server is known.
import { isTransportError, TransportError, type TransportErrorReason } from "@lethe/client";
import type { UpstreamConfig } from "../../config/upstream-config.ts";

/** Failures of a server that was reached but did not show its era. */
const undecided: ReadonlySet<TransportErrorReason> = new Set(["status", "invalid", "lost", "timeout"]);

/** False for 429 and 503: an overloaded server must not get more requests. */
export function isUndecided(error: unknown): error is TransportError {
  return isTransportError(error) && undecided.has(error.reason) && error.status !== 429 && error.status !== 503;
}

/** Adds the setting that helps to the error. */
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
