// What the shared store said about the owners of sessions, until something contradicts it. A stale answer is safe: that replica asks the store, and
// acquires the session or forwards the request to its owner.
import type { Clock } from "../../clock/clock.ts";
import { ReplicaError } from "../../replicas/replica-error.ts";
import { AbsentReplicas } from "./absent-replicas.ts";
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
  isDoubtful: boolean;
}

export class RecentOwners {
  readonly #options: RecentOwnersOptions;
  /** Until when a replica is taken for alive, because of what it sent. */
  readonly #alive = new Map<string, number>();
  /** Replicas with the same keys, unless they did not receive a message and have sent nothing since. */
  readonly #known = new Set<string>();
  readonly #contradictions = new Map<string, number>();
  readonly #owners = new Map<string, KnownOwner>();
  readonly #absent: AbsentReplicas;

  constructor(options: RecentOwnersOptions) {
    this.#options = options;
    this.#absent = new AbsentReplicas(options.clock, options.timings.absentMs);
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

  /** A message from this replica arrived. */
  receivedFrom(replica: string): void {
    this.#absent.delete(replica);
    this.addAlive(replica);
  }

  /** The heartbeats of this replica are overdue. */
  addAbsent(replica: string): void {
    this.#absent.add(replica);
  }

  /** A message to this replica had no receiver. */
  missed(replica: string): void {
    this.#absent.add(replica);
    this.forget(replica);
  }

  /**
   * Throws ReplicaError while the owner that the shared store named last cannot be reached: a request for its session waits where it has
   * not started. One of all waiting requests may ask again after each pause.
   */
  requireReachable(key: string): void {
    const owner = this.#owners.get(key)?.owner;
    if (owner === undefined || !this.#absent.mustWait(owner)) return;
    const message = "has its session at a replica of the gateway that cannot be reached";
    throw new ReplicaError("unavailable", message, { retryAfterMs: Math.ceil(this.#options.timings.absentMs) });
  }

  /** The shared store has named this owner, which may have failed. Returns whether it named another one, or none, before. */
  addNamed(key: string, owner: string): boolean {
    const isNew = this.#moved(key, owner);
    this.#remember(key, owner, true);
    return isNew;
  }

  /** The shared store has named this owner, and nothing says that it has failed. */
  addOwner(key: string, owner: string): void {
    this.addAlive(owner);
    this.#remember(key, owner, false);
  }

  /** Undefined when unknown or doubtful. */
  ownerOf(key: string): string | undefined {
    const known = this.#owners.get(key);
    if (known === undefined || known.isDoubtful) return undefined;
    const { owner, until, contradictions } = known;
    const isFresh = this.#options.clock.now() < until && contradictions === (this.#contradictions.get(owner) ?? 0);
    if (isFresh && this.isAlive(owner)) return owner;
    known.isDoubtful = true;
    return undefined;
  }

  /** The replica that was taken for the owner has forwarded a request for the session to another one. */
  doubtOwner(key: string): void {
    const known = this.#owners.get(key);
    if (known) known.isDoubtful = true;
  }

  /** This replica owns the session now. */
  deleteOwner(key: string): void {
    this.#moved(key, undefined);
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
    this.#absent.clear();
  }

  #moved(key: string, owner: string | undefined): boolean {
    const last = this.#owners.get(key)?.owner;
    // A replica that no longer owns one session may own none: its other sessions are worth a question each.
    if (last !== undefined && last !== owner) this.#absent.delete(last);
    return last !== owner;
  }

  #remember(key: string, owner: string, isDoubtful: boolean): void {
    this.#owners.delete(key);
    const oldest = this.#owners.keys().next();
    if (this.#owners.size >= maxOwners && !oldest.done) this.#owners.delete(oldest.value);
    const { clock, timings } = this.#options;
    const contradictions = this.#contradictions.get(owner) ?? 0;
    this.#owners.set(key, { owner, until: clock.now() + timings.ownerMs, contradictions, isDoubtful });
  }

  #know(replica: string): void {
    if (this.#known.size >= maxReplicas) this.#known.clear();
    this.#known.add(replica);
  }
}
