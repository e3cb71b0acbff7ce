// The origin of a request before authentication, for the log of rejected requests.
import type { HeaderReader } from "@lethe/protocol";

/** Where an HTTP request came from, for logs and limits. */
export interface Sender {
  /** The other end of the connection, which may be a proxy. Undefined on platforms that do not provide it. */
  readonly remoteAddress?: string | undefined;
  /** Unverified: written by the sender or by a proxy. */
  readonly headers: HeaderReader;
}
