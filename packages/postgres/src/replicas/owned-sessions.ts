// The sessions that this replica owns, by the digests of their keys. PostgreSQL holds the digests only, which tell nothing about callers.
import { createHash } from "node:crypto";
import type { PostgresLink } from "../connection/postgres-link.ts";
import { adoptSessions, findOwned, releaseSessions } from "./directory-statements.ts";

interface Owned {
  readonly digest: string;
  readonly claim: number;
}

interface Released extends Owned {
  readonly lease: string;
}

/** Sessions in one statement. */
const batchSize = 500;

export class OwnedSessions {
  readonly #postgres: Pick<PostgresLink, "prefix" | "run">;
  readonly #owned = new Map<string, Owned>();
  readonly #lossListeners = new Set<(key: string) => void>();
  /** Sessions whose rows are not deleted yet. */
  readonly #released: Released[] = [];
  #releasing: Promise<void> | undefined;

  constructor(postgres: Pick<PostgresLink, "prefix" | "run">) {
    this.#postgres = postgres;
  }

  get size(): number {
    return this.#owned.size;
  }

  has(key: string): boolean {
    return this.#owned.has(key);
  }

  digestOf(key: string): string {
    return this.#owned.get(key)?.digest ?? createHash("sha256").update(key).digest("base64url");
  }

  add(key: string, claim: number): void {
    this.#owned.set(key, { digest: this.digestOf(key), claim });
  }

  /** Another replica has, or may have, acquired the session. */
  lose(key: string): void {
    if (this.#owned.delete(key)) for (const listener of this.#lossListeners) listener(key);
  }

  onLost(listener: (key: string) => void): () => void {
    this.#lossListeners.add(listener);
    return () => void this.#lossListeners.delete(listener);
  }

  /** Deletes the row of a session, soon, unless it was acquired again meanwhile. */
  release(key: string, lease: string): void {
    const owned = this.#owned.get(key);
    if (!owned) return;
    this.#owned.delete(key);
    this.#released.push({ ...owned, lease });
    this.#releasing ??= this.#deleteReleased().finally(() => {
      this.#releasing = undefined;
    });
  }

  /** Resolves when the rows of released sessions are deleted, or PostgreSQL was away. */
  async released(): Promise<void> {
    await this.#releasing;
  }

  /** One statement at a time, for the sessions that were released meanwhile: a replica that stops releases all of them at once. */
  async #deleteReleased(): Promise<void> {
    const { prefix, run } = this.#postgres;
    await Promise.resolve();
    while (this.#released.length > 0) {
      const batch = this.#released.splice(0, batchSize);
      const column = <K extends keyof Released>(name: K) => batch.map((one) => one[name]);
      // If it fails, the next owner of a session takes its state for lost.
      await run(releaseSessions, [prefix, column("digest"), column("lease"), column("claim")]).catch(() => {});
    }
  }

  /**
   * Moves the sessions of former leases to a new lease, and loses those that another replica has taken. Calls `between` after each batch.
   * Rejects when PostgreSQL is away.
   */
  async adopt(former: readonly string[], lease: string, between: () => Promise<void>): Promise<void> {
    const { prefix, run } = this.#postgres;
    for (const batch of this.#batches()) {
      const rows = await run<{ key: string }>(adoptSessions, [prefix, digestsIn(batch), [...former, lease], lease]);
      this.#keep(batch, rows);
      await between();
    }
  }

  /** Loses the sessions that PostgreSQL does not record for this lease. Rejects when PostgreSQL is away. */
  async verify(lease: string): Promise<void> {
    const { prefix, run } = this.#postgres;
    for (const batch of this.#batches()) {
      const rows = await run<{ key: string }>(findOwned, [prefix, digestsIn(batch), lease]);
      this.#keep(batch, rows);
    }
  }

  *#batches(): Generator<readonly (readonly [string, Owned])[]> {
    const all = [...this.#owned];
    for (let start = 0; start < all.length; start += batchSize) yield all.slice(start, start + batchSize);
  }

  #keep(batch: readonly (readonly [string, Owned])[], rows: readonly { readonly key: string }[]): void {
    const kept = new Set(rows.map(({ key }) => key));
    // A session that was released, or acquired again, since the batch began is not of that batch any more.
    for (const [key, owned] of batch) {
      if (!kept.has(owned.digest) && this.#owned.get(key) === owned) this.lose(key);
    }
  }
}

function digestsIn(batch: readonly (readonly [string, Owned])[]): readonly string[] {
  return batch.map(([, { digest }]) => digest);
}
