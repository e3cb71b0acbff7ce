// Delivers the POSTs of a client of 2024-11-05 to the process that holds its stream (D-32).
import type { Peer } from "../shared/legacy-context.ts";

/** A POST of an HTTP+SSE client that reached another process than the one with its stream. */
export interface RelayedPost extends Peer {
  /** The session of the stream. */
  readonly sessionId: string;
  /** The parsed body. */
  readonly message: unknown;
}

/** Connects one process with the others. Without a relay, each POST must reach the process that holds the stream. */
export interface StreamRelay {
  /** Names this process: letters, digits, "_" and "-". Followed by a dot, it starts the session id of each stream opened here. */
  readonly address: string;
  /**
   * Delivers a POST to a process, in order and at most once. Resolves with false if that process no longer exists. Rejects if it
   * cannot be reached.
   */
  send(address: string, post: RelayedPost): Promise<boolean>;
  /** Receives the POSTs sent to this process. Returns a function that stops listening. */
  listen(listener: (post: RelayedPost) => void): () => void;
}
