// The other replicas that may take sessions, as one replica knows them, and what each last said about Redis.

/** A replica that may take sessions. */
export interface Member {
  readonly replica: string;
  /** "host:port" of its listener. Undefined for a replica of an earlier build: it never counts as silent. */
  readonly address: string | undefined;
}

/** The other replicas with a lease, as Redis listed them when this replica renewed its own. */
export interface Membership {
  /** When this replica sent the renewal, by its own clock. */
  readonly sentAt: number;
  readonly members: readonly Member[];
}

/**
 * What the members say about Redis. `alone`: there are none. `reached`: at least one reaches it. `unreached`: none does.
 * `unknown`: at least one did not answer.
 */
export type PeersView = "alone" | "reached" | "unreached" | "unknown";

/** All times are those of the clock of this process. */
export interface Known {
  readonly address: string | undefined;
  /** It has answered at this address. Only then does a refused connection show that its process has ended. */
  isProven: boolean;
  /** Whether it gave no answer before, while Redis was reached. */
  wasSilent: boolean;
  /** Whether a question is unanswered, and when the last one was sent. */
  isAsked: boolean;
  askedAt: number;
  /** Until when it takes no session. */
  promisedUntil: number;
  /** When it introduced itself. */
  introducedAt: number;
  answeredAt: number;
  hasRedis: boolean;
}

/** With more members than this, asking all of them in time would cost too much, and no permit is given. */
const maxMembers = 256;
/** Former members are remembered for as long as Redis records replicas, in ms. */
const rememberMs = 600_000;
const maxRemembered = 1_000;
/** Answers are forgotten after this time, in ms. */
const answerMs = 2_000;
const never = Number.NEGATIVE_INFINITY;

export class Members {
  readonly #known = new Map<string, Known>();
  readonly #former = new Map<string, { readonly address: string | undefined; readonly until: number }>();
  /** Whether all members are known. */
  #isComplete = true;
  #overflowedAt = never;

  get size(): number {
    return this.#known.size;
  }

  /** Whether no other replica can take sessions. */
  get isAlone(): boolean {
    return this.#isComplete && this.#known.size === 0;
  }

  [Symbol.iterator](): IterableIterator<[string, Known]> {
    return this.#known.entries();
  }

  has(replica: string, known: Known): boolean {
    return this.#known.get(replica) === known;
  }

  /** Replaces the members, except those that introduced themselves after the renewal was sent. */
  replace(self: string, { sentAt, members }: Membership, now: number): void {
    const listed = new Map(members.filter(({ replica }) => replica !== self).map((one) => [one.replica, one]));
    for (const [replica, { address, introducedAt }] of this.#known) {
      if (listed.has(replica) || introducedAt >= sentAt) continue;
      this.#known.delete(replica);
      this.#remember(replica, address, now);
    }
    for (const { replica, address } of listed.values()) this.add(replica, address, now);
    this.#isComplete = listed.size <= maxMembers && this.#overflowedAt < sentAt;
  }

  /** A member with another address than before counts as a new one. */
  add(replica: string, address: string | undefined, now: number): Known {
    const known = this.#known.get(replica);
    if (known && known.address === address) return known;
    const made: Known = {
      ...{ address, isProven: false, wasSilent: false, isAsked: false, hasRedis: false },
      ...{ askedAt: never, promisedUntil: never, introducedAt: known?.introducedAt ?? never, answeredAt: never },
    };
    if (known || this.#known.size < maxMembers) this.#known.set(replica, made);
    else {
      this.#isComplete = false;
      this.#overflowedAt = now;
    }
    return made;
  }

  /** The members, and the former ones of the last 10 minutes: a Redis that lost its data lists none of them. */
  recent(now: number): Member[] {
    const former = [...this.#former].filter(([, { until }]) => now < until);
    return [...former, ...this.#known].map(([replica, { address }]) => ({ replica, address }));
  }

  #remember(replica: string, address: string | undefined, now: number): void {
    this.#former.delete(replica);
    this.#former.set(replica, { address, until: now + rememberMs });
    if (this.#former.size > maxRemembered) this.#former.delete(this.#former.keys().next().value as string);
  }

  /** Until when all members take no session. Negative infinity if one of them has not promised that. */
  promisedUntil(): number {
    let until = this.#isComplete ? Number.POSITIVE_INFINITY : never;
    for (const { promisedUntil } of this.#known.values()) until = Math.min(until, promisedUntil);
    return until;
  }

  view(now: number): PeersView {
    if (this.#known.size === 0) return "alone";
    let isKnown = this.#isComplete;
    for (const { answeredAt, hasRedis } of this.#known.values()) {
      if (answeredAt < now - answerMs) isKnown = false;
      else if (hasRedis) return "reached";
    }
    return isKnown ? "unreached" : "unknown";
  }

  clear(): void {
    this.#known.clear();
    this.#former.clear();
  }
}
