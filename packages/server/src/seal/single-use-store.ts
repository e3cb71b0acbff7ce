// The store behind single-use tokens (E-28): records which `requestState` tokens were used.

/** One round of a call: a `requestState` with the answers that came with it. */
export interface Round {
  /** The id of the token. */
  readonly id: string;
  /** Undefined without authentication. */
  readonly callerId: string | undefined;
  /** When the token expires, in ms since 1970. */
  readonly expiresAt: number;
  /** The digest of the inputs. A request with other inputs is not a retry. */
  readonly inputs: string;
}

/** The outcome of a claim: whether this request runs the round, or an identical one did. */
export type Claim =
  /** The first request of the round: run it, then call `settle` or `release`. */
  | { readonly status: "claimed" }
  /** An identical request is running, here or in another process. */
  | { readonly status: "running" }
  /** An identical request was answered with this text. */
  | { readonly status: "answered"; readonly answer: string }
  /** The state was used with other inputs, or its answer is no longer stored. */
  | { readonly status: "used" }
  /** The process that ran the identical request ended before it settled. */
  | { readonly status: "lost" }
  /** The store is full: for this caller, or for all. */
  | { readonly status: "full"; readonly isCaller: boolean };

/** Processes with the same keys need a shared store. Otherwise each process accepts a token once. */
export interface SingleUseStore {
  /** Must be atomic. Rejects with McpError when the store is unreachable; the request is then rejected. */
  claim(round: Round): Promise<Claim> | Claim;
  /**
   * Ends a round: its state stays used until it expires. An identical retry gets `answer` while the
   * store keeps it. Must not reject.
   */
  settle(round: Round, answer: string | undefined): Promise<void> | void;
  /** Frees a state whose round had no effect: it may be used again. Must not reject. */
  release(round: Round): Promise<void> | void;
}
