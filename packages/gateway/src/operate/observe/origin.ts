// Where a request came from, as the log has it. What proxies wrote is beside what the connection shows: no setting says whose
// word counts, and whoever connects without a proxy may write what they like.
import type { Sender } from "@lethe/server/auth";

export interface Origin {
  /** The other end of the connection, which may be a proxy. */
  remoteAddress?: string;
  /** The header `X-Forwarded-For`. */
  forwardedFor?: string;
}

const maxLength = 256;

export function toOrigin({ remoteAddress, headers }: Sender): Origin {
  const forwardedFor = headers("x-forwarded-for");
  return {
    ...(remoteAddress !== undefined && { remoteAddress }),
    ...(forwardedFor !== undefined && { forwardedFor: forwardedFor.slice(0, maxLength) }),
  };
}
