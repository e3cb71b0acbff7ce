// The times by which replicas judge each other while they forward requests.

export interface CallTimings {
  /** A replica that receives messages and sends nothing for this time has failed, in ms. */
  readonly silenceMs: number;
  /** A replica that cannot be asked, because the shared store is away, counts as failed after this time, in ms. */
  readonly outageMs: number;
}

export interface OwnerTimings {
  /** A replica counts as alive for this time after its last message, in ms. */
  readonly aliveMs: number;
  /** The owner of a session is not looked up again for this time, unless something contradicts what the shared store said, in ms. */
  readonly ownerMs: number;
  /** The pause between two questions to the shared store about a replica that cannot be reached, in ms. */
  readonly absentMs: number;
}
