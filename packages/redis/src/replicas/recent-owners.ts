// Caches for a short time which replicas are alive and which sessions they own, which saves a round trip to Redis.

const maxAlive = 1_000;
const maxOwners = 10_000;

export class RecentOwners {
  readonly #freshMs: number;
  /** Until when a replica is taken for alive. */
  readonly #alive = new Map<string, number>();
  readonly #owners = new Map<string, { readonly owner: string; readonly until: number }>();

  constructor(freshMs: number) {
    this.#freshMs = freshMs;
  }

  addAlive(replica: string): void {
    if (this.#alive.size >= maxAlive) this.#alive.clear();
    this.#alive.set(replica, performance.now() + this.#freshMs);
  }

  isAlive(replica: string): boolean {
    return performance.now() < (this.#alive.get(replica) ?? 0);
  }

  addOwner(key: string, owner: string): void {
    this.addAlive(owner);
    if (this.#owners.size >= maxOwners) this.#owners.clear();
    this.#owners.set(key, { owner, until: performance.now() + this.#freshMs });
  }

  /** Undefined when unknown or no longer fresh. */
  ownerOf(key: string): string | undefined {
    const known = this.#owners.get(key);
    if (known === undefined || !this.isAlive(known.owner) || performance.now() >= known.until) return undefined;
    return known.owner;
  }

  /** Forgets that a replica was alive, and all owners. */
  forget(replica: string): void {
    this.#alive.delete(replica);
    this.#owners.clear();
  }
}
