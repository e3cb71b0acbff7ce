// Brings what a client of 2024-11-05 posts to the process that holds its stream (D-32).
import type { Peer } from "../shared/legacy-context.ts";

export interface RelayedPost extends Peer {
  /** Of the stream. */
  readonly sessionId: string;
  /** As it was posted, parsed. */
  readonly message: unknown;
}

/** Of one process. Without it a client of that revision has to reach the process that holds its stream. */
export interface StreamRelay {
  /** Stands, with a dot after it, in front of the id of each stream that is open here: letters, digits, "_" and "-". */
  readonly address: string;
  /** In order, each at most once. False when that process is gone. Rejects when it cannot be reached. */
  send(address: string, post: RelayedPost): Promise<boolean>;
  /** Hears what is sent to this address. Returns how to stop. */
  hear(listener: (post: RelayedPost) => void): () => void;
}
