// Caches for a short time which replicas are alive and which sessions they own, which saves a round trip to Redis.
import type { Clock } from "@lethe/server/stores";
import type { Timings } from "./timings.ts";

const maxAlive = 1_000;
const maxOwners = 10_000;

export interface RecentOwnersOptions {
  readonly clock: Clock;
  readonly timings: Pick<Timings, "aliveMs" | "ownerMs">;
}

export class RecentOwners {
  readonly #aliveMs: number;
  readonly #ownerMs: number;
  readonly #clock: Clock;
  /** Until when a replica is taken for alive. */
  readonly #alive = new Map<string, number>();
  readonly #owners = new Map<string, { readonly owner: string; readonly until: number }>();

  constructor({ clock, timings }: RecentOwnersOptions) {
    this.#aliveMs = timings.aliveMs;
    this.#ownerMs = timings.ownerMs;
    this.#clock = clock;
  }

  addAlive(replica: string): void {
    if (this.#alive.size >= maxAlive) this.#alive.clear();
    this.#alive.set(replica, this.#clock.now() + this.#aliveMs);
  }

  isAlive(replica: string): boolean {
    return this.#clock.now() < (this.#alive.get(replica) ?? 0);
  }

  addOwner(key: string, owner: string): void {
    this.addAlive(owner);
    if (this.#owners.size >= maxOwners) this.#owners.clear();
    this.#owners.set(key, { owner, until: this.#clock.now() + this.#ownerMs });
  }

  /** Undefined when unknown or no longer fresh. */
  ownerOf(key: string): string | undefined {
    const known = this.#owners.get(key);
    if (known === undefined || !this.isAlive(known.owner) || this.#clock.now() >= known.until) return undefined;
    return known.owner;
  }

  /** Forgets that a replica was alive, and all owners. */
  forget(replica: string): void {
    this.#alive.delete(replica);
    this.#owners.clear();
  }
}
