// The origin of a request for the log. The connection's address and the proxy's header are separate fields, because no setting
// says which proxy to trust, and a client without a proxy can send any header.
import type { Sender } from "@lethe/server/auth";

export interface Origin {
  /** The remote address of the connection, which may be a proxy. */
  remoteAddress?: string;
  /** The header `X-Forwarded-For`, unverified. */
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
