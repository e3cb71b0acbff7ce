// Removes a replica whose process has probably ended, sooner than its lease expires. Redis closes the subscription of a killed
// process at once. A replica that notices marks it as suspect. If the mark is still there when no heartbeat can count any more, the
// lease is revoked; see lease.ts for why that is safe. A living replica removes the mark with each heartbeat.
import type { Clock } from "@lethe/server/stores";
import type { RedisLink } from "../connection/redis-link.ts";
import { createScript, type Script } from "../script/create-script.ts";
import { parseLeaseEntry } from "./lease-entry.ts";
import { revokeText, suspectText } from "./membership-scripts.ts";
import type { Restraint } from "./restraint.ts";
import type { Timings } from "./timings.ts";

export interface SuspicionOptions {
  readonly connection: RedisLink;
  readonly clock: Clock;
  readonly timings: Timings;
  readonly restraint: Restraint;
}

const maxSuspects = 1_000;

export class Suspicion {
  readonly #options: SuspicionOptions;
  readonly #mark: Script;
  readonly #revoke: Script;
  /** Ends the wait for each suspect. */
  readonly #suspects = new Map<string, () => void>();
  #isClosed = false;

  constructor(options: SuspicionOptions) {
    this.#options = options;
    this.#mark = createScript(options.connection, suspectText);
    this.#revoke = createScript(options.connection, revokeText);
  }

  /** Resolves to whether this replica revoked the lease of another one. Rejects when Redis is away. */
  async suspect(replica: string): Promise<boolean> {
    if (this.#isClosed || this.#suspects.has(replica) || this.#suspects.size >= maxSuspects) return false;
    this.#suspects.set(replica, () => {});
    try {
      return await this.#examine(replica);
    } finally {
      this.#suspects.delete(replica);
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const end of this.#suspects.values()) end();
  }

  async #examine(replica: string): Promise<boolean> {
    const { connection, timings, restraint } = this.#options;
    const keys = [connection.nameOf(`lease:${replica}`), connection.nameOf(`suspect:${replica}`)];
    const found = await this.#mark(keys, [crypto.randomUUID(), 4 * timings.leaseMs]);
    const [entry, mark] = Array.isArray(found) ? (found as [string, string]) : [];
    const { validMs } = parseLeaseEntry(entry ?? "");
    if (mark === undefined || validMs === undefined) return false;
    // The wait begins when Redis has answered, so the mark is at least that old.
    await this.#wait(replica, validMs + timings.marginMs);
    // A replica that has just reconnected is about to remove the mark.
    const [subscribers = 0] = await connection.subscribersOf([`replica:${replica}`]);
    if (this.#isClosed || subscribers > 0 || restraint.restMs() > 0) return false;
    return (await this.#revoke(keys, [mark])) === 1;
  }

  #wait(replica: string, ms: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isClosed) return resolve();
      const cancel = this.#options.clock.after(ms, resolve);
      this.#suspects.set(replica, () => {
        cancel();
        resolve();
      });
    });
  }
}
