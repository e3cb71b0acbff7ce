// What a replica knows about its ownership besides the replies of Redis.

/** A replica of the gateway. */
export interface Member {
  readonly replica: string;
  /** "host:port" of its listener. Undefined for a replica of an earlier build, which cannot be asked. */
  readonly address: string | undefined;
}

/** `PeerEvidence` asks the other replicas directly while Redis is away. All times are those of the clock of this process. */
export interface Evidence {
  /** Redis has confirmed that this replica is valid until `validUntil`. */
  confirm(validUntil: number): void;
  /** The replicas with a lease, as Redis listed them after `sentAt`. */
  observe(membership: { readonly sentAt: number; readonly members: readonly Member[] }): void;
  /** Until when no other replica takes sessions of this one. */
  permitUntil(): number;
  /** Until when this replica must not take sessions of others. */
  promisedUntil(): number;
  /** Makes this replica known to all replicas of which Redis has a record. It takes no session until that is done. */
  introduce(recorded: readonly Member[]): Promise<void>;
}

/** The evidence of a replica that asks only Redis. */
export function createRedisEvidence(): Evidence {
  let validUntil = Number.NEGATIVE_INFINITY;
  return {
    confirm(until) {
      validUntil = Math.max(validUntil, until);
    },
    permitUntil: () => validUntil,
    promisedUntil: () => Number.NEGATIVE_INFINITY,
    observe() {},
    introduce: () => Promise.resolve(),
  };
}
