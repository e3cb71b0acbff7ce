// Where a request comes from, as far as that can be told before its sender has said who they are: for the log of refusals.
import type { HeaderReader } from "@lethe/protocol";

export interface Sender {
  /** The other end of the connection, which may be a proxy. Undefined where the platform does not tell. */
  readonly remoteAddress?: string | undefined;
  /** As somebody wrote them: the sender, or a proxy on the way. */
  readonly headers: HeaderReader;
}
