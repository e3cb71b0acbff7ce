// Recognizes lists of the replicas that may show a lease as expired only because the shared store stood still, so that no replica could
// renew its lease. Such a list says nothing about a replica that had a lease before: a later one decides.

/** A list that is later than due by this part of a lease is delayed. A lease lasts for longer than that after each renewal. */
const delayPart = 0.4;
/** Replicas reach the store again, and renew their leases, within this part of a lease. The next list comes later. */
const renewPart = 0.2;

export class ListDelay {
  readonly #leaseMs: number;
  /** The first list is never delayed. */
  #listedAt = Number.POSITIVE_INFINITY;
  #isDoubtful = false;
  #undecidedUntil = Number.NEGATIVE_INFINITY;

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs;
  }

  /** Called once for each list, at the time of its arrival. `everyMs` is the interval of lists. Returns whether a missing lease proves nothing. */
  isUndecided(now: number, everyMs: number): boolean {
    const isDelayed = now - this.#listedAt > everyMs + this.#leaseMs * delayPart;
    this.#listedAt = now;
    if (now < this.#undecidedUntil) return true;
    // The next list decides, also if it is delayed, too: a process without time would never report a lost replica.
    this.#isDoubtful = isDelayed && !this.#isDoubtful;
    if (this.#isDoubtful) this.#undecidedUntil = now + this.#leaseMs * renewPart;
    return this.#isDoubtful;
  }
}
