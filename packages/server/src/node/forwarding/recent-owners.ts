// What the shared store said about the owners of sessions, until something contradicts it. A stale answer is safe: that replica asks the store, and
// acquires the session or forwards the request to its owner.
import type { Clock } from "../../clock/clock.ts";
import type { OwnerTimings } from "./timings.ts";

const maxReplicas = 1_000;
/** The oldest is forgotten first. */
const maxOwners = 100_000;

export interface RecentOwnersOptions {
  readonly clock: Clock;
  readonly timings: OwnerTimings;
  /** Whether the last list of replicas in the shared store contains this one. */
  isListed(replica: string): boolean;
}

interface KnownOwner {
  readonly owner: string;
  readonly until: number;
  /** The number of contradictions about the owner before. */
  readonly contradictions: number;
}

export class RecentOwners {
  readonly #options: RecentOwnersOptions;
  /** Until when a replica is taken for alive, because of what it sent. */
  readonly #alive = new Map<string, number>();
  /** Replicas with the same keys, unless they did not receive a message and have sent nothing since. */
  readonly #known = new Set<string>();
  readonly #contradictions = new Map<string, number>();
  readonly #owners = new Map<string, KnownOwner>();

  constructor(options: RecentOwnersOptions) {
    this.#options = options;
  }

  /** This replica has sent a message, or has a lease and the same keys as this one. */
  addAlive(replica: string): void {
    this.#know(replica);
    if (this.#alive.size >= maxReplicas) this.#alive.clear();
    this.#alive.set(replica, this.#options.clock.now() + this.#options.timings.aliveMs);
  }

  isAlive(replica: string): boolean {
    const { clock, isListed } = this.#options;
    if (clock.now() < (this.#alive.get(replica) ?? 0)) return true;
    return this.#known.has(replica) && isListed(replica);
  }

  addOwner(key: string, owner: string): void {
    this.addAlive(owner);
    this.#owners.delete(key);
    const oldest = this.#owners.keys().next();
    if (this.#owners.size >= maxOwners && !oldest.done) this.#owners.delete(oldest.value);
    const { clock, timings } = this.#options;
    const contradictions = this.#contradictions.get(owner) ?? 0;
    this.#owners.set(key, { owner, until: clock.now() + timings.ownerMs, contradictions });
  }

  /** Undefined when unknown or doubtful. */
  ownerOf(key: string): string | undefined {
    const known = this.#owners.get(key);
    if (known === undefined) return undefined;
    const { owner, until, contradictions } = known;
    const isFresh = this.#options.clock.now() < until && contradictions === (this.#contradictions.get(owner) ?? 0);
    if (isFresh && this.isAlive(owner)) return owner;
    this.#owners.delete(key);
    return undefined;
  }

  /** This replica owns the session now. */
  deleteOwner(key: string): void {
    this.#owners.delete(key);
  }

  /** Forgets that a replica was alive, and which sessions it owned. */
  forget(replica: string): void {
    this.#alive.delete(replica);
    if (this.#contradictions.size >= maxReplicas) this.forgetAll();
    this.#known.delete(replica);
    this.#contradictions.set(replica, (this.#contradictions.get(replica) ?? 0) + 1);
  }

  /** The shared store may have lost its data. */
  forgetAll(): void {
    this.#owners.clear();
    this.#alive.clear();
    this.#known.clear();
    this.#contradictions.clear();
  }

  #know(replica: string): void {
    if (this.#known.size >= maxReplicas) this.#known.clear();
    this.#known.add(replica);
  }
}
