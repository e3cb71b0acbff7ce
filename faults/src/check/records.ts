// What a run records: each call as its caller saw it, and each execution as the upstream saw it.

/**
 * `unavailable`: the error says that the call has not started. `told`: the error says that the state of the session is gone
 * and that the call has not started. `lost`: a typed error for a call that may have run. `untyped`: any other failure.
 */
export type Outcome = "ok" | "unavailable" | "told" | "lost" | "untyped";

export interface CallRecord {
  readonly caller: string;
  readonly upstream: string;
  /** Unique among all calls. The upstream writes it when it begins the call. */
  readonly id: string;
  readonly tool: "count" | "ask" | "slow";
  /** Milliseconds since the start of the run. */
  readonly begin: number;
  readonly end: number;
  readonly outcome: Outcome;
  /** `data.reason` of the error, or a description of an untyped one. */
  readonly reason?: string;
  readonly status?: number;
  readonly hasRetryAfter?: boolean;
  /** True from the moment the caller knew that the call had begun: its input request or task arrived. */
  readonly isBegun?: boolean;
  /** The counter that answered, and its value. */
  readonly instance?: string;
  readonly n?: number;
  /** True if the result says that the session lost its state before this call. */
  readonly isMarked?: boolean;
  /** The answer that the caller gave to the question of the tool `ask`. */
  readonly answer?: string;
}

export interface RunRecord {
  readonly event: "open" | "begin" | "answered";
  readonly instance: string;
  readonly pid: number;
  readonly id?: string;
  readonly n?: number;
  readonly answer?: string;
}

export interface Span {
  readonly name: string;
  readonly begin: number;
  readonly end: number;
}

export interface History {
  readonly calls: readonly CallRecord[];
  readonly runs: readonly RunRecord[];
  /** Times in which an untyped error is allowed, because a process with the connection was killed. */
  readonly cuts: readonly Span[];
  /**
   * Times in which Redis lost its data and a replica was lost too. Then no process knows who owned a session, so a caller is not
   * told that its session is new.
   */
  readonly blinds?: readonly Span[];
  /** Processes and sockets that outlived the run. */
  readonly leftovers: readonly string[];
  /** Calls without an end after this time violate the history, in ms. */
  readonly limitMs: number;
  /** True if the run ended with enough time without faults: the last call of each session must be ok. */
  readonly isRecovered?: boolean;
}
