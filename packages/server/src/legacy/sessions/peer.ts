// Who is at the other end of a legacy session: what the exchange of each of its calls says of it.
import type { Exchange } from "@lethe/protocol";

export type Peer = Pick<Exchange, "caller" | "isAnonymous">;

/** On a pipe nobody authenticates, and nobody else can write (C-15). */
export const pipePeer: Peer = { caller: undefined, isAnonymous: false };

/** Of one HTTP request, which itself may be long over. */
export function toPeer({ caller, isAnonymous }: Peer): Peer {
  return { caller, isAnonymous };
}
