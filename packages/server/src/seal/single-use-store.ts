// Remembers which sealed states were answered (E-28). A token cannot enforce single use by itself.

/** One round of a call: a `requestState` with the answers that came with it. */
export interface Round {
  /** Of the token: unique, and the same for every request that carries the token. */
  readonly id: string;
  /** Undefined without authentication. */
  readonly callerId: string | undefined;
  /** ms since 1970. No server accepts the token after this. */
  readonly expiresAt: number;
  /** Digest of the inputs. A request with the same token and other inputs is no retry. */
  readonly inputs: string;
}

export type Claim =
  /** The first request of the round: run it, then call `settle` or `release`. */
  | { readonly status: "claimed" }
  /** An identical request is running, here or in another process. */
  | { readonly status: "running" }
  /** An identical request was answered with this text. */
  | { readonly status: "answered"; readonly answer: string }
  /** The state was answered with other inputs, or its answer is no longer remembered. */
  | { readonly status: "used" }
  /** The process that ran the identical request ended before it settled. */
  | { readonly status: "lost" }
  /** The store has no room: for this caller, or for any. */
  | { readonly status: "full"; readonly isCaller: boolean };

/** Processes that open the same tokens need one store, or single use holds for each process alone. */
export interface SingleUseStore {
  /** Must be atomic. Rejects with McpError when the store cannot know: the request is then refused. */
  claim(round: Round): Promise<Claim> | Claim;
  /**
   * The round has ended: the state stays used until it expires. `answer` is what an identical retry gets, for as long as the
   * store remembers it. Must not reject.
   */
  settle(round: Round, answer: string | undefined): Promise<void> | void;
  /** The round was refused before it had an effect: the state may be answered again. Must not reject. */
  release(round: Round): Promise<void> | void;
}
