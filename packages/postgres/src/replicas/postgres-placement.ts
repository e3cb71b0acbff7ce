// The notes by which replicas tell each other how much room they have for new sessions. Nothing is sent before a gateway exchanges its
// first note, and ownership does not depend on notes: a wrong or old one makes a session open at another replica, and no more.
import type { Placement } from "@lethe/server/stores";
import type { PostgresLink } from "../connection/postgres-link.ts";
import { exchangeNotes, findOwner } from "./directory-statements.ts";

export interface PostgresPlacementOptions {
  readonly postgres: Pick<PostgresLink, "prefix" | "run">;
  readonly self: string;
  /** What the database has in the place of the session's key. */
  digestOf(key: string): string;
  /** Whether this replica remembers an owner of the session, or owns it. */
  isKnown(key: string): boolean;
}

export class PostgresPlacement implements Placement {
  readonly #options: PostgresPlacementOptions;

  constructor(options: PostgresPlacementOptions) {
    this.#options = options;
  }

  async exchange(
    note: string,
    { ttlMs, max }: { readonly ttlMs: number; readonly max: number },
  ): Promise<ReadonlyMap<string, string>> {
    const { postgres, self } = this.#options;
    const values = [postgres.prefix, self, note, Math.ceil(ttlMs), max];
    const rows = await postgres.run<{ replica: string; note: string }>(exchangeNotes, values);
    return new Map(rows.map((row) => [row.replica, row.note]));
  }

  async isOwned(key: string): Promise<boolean> {
    const { postgres, digestOf, isKnown } = this.#options;
    if (isKnown(key)) return true;
    return (await postgres.run(findOwner, [postgres.prefix, digestOf(key)])).length === 1;
  }
}
