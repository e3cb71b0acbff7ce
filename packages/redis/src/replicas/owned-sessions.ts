// The sessions that this replica owns, and their records in Redis.
import { createHash } from "node:crypto";
import type { RedisLink } from "../connection/redis-link.ts";
import { createScript, type Script } from "../script/create-script.ts";
import { abandonText, holdText, releaseText } from "./lease-scripts.ts";
import type { Timings } from "./timings.ts";

export interface OwnedSessionsOptions {
  readonly connection: RedisLink;
  readonly self: string;
  readonly timings: Timings;
}

const batchSize = 500;

export class OwnedSessions {
  readonly #connection: RedisLink;
  readonly #self: string;
  readonly #timings: Timings;
  readonly #hold: Script;
  readonly #release: Script;
  readonly #abandon: Script;
  /** The name of each session's key in Redis. */
  readonly #names = new Map<string, string>();
  readonly #lossListeners = new Set<(key: string) => void>();

  constructor({ connection, self, timings }: OwnedSessionsOptions) {
    this.#connection = connection;
    this.#self = self;
    this.#timings = timings;
    this.#hold = createScript(connection, holdText);
    this.#release = createScript(connection, releaseText);
    this.#abandon = createScript(connection, abandonText);
  }

  get size(): number {
    return this.#names.size;
  }

  has(key: string): boolean {
    return this.#names.has(key);
  }

  /** The name of the session's key in Redis, which tells nothing about callers. */
  nameOf(key: string): string {
    const known = this.#names.get(key);
    return known ?? this.#connection.nameOf(`claim:${createHash("sha256").update(key).digest("base64url")}`);
  }

  add(key: string): void {
    this.#names.set(key, this.nameOf(key));
  }

  /** Another replica has, or may have, acquired the session. */
  lose(key: string): void {
    if (this.#names.delete(key)) for (const listener of this.#lossListeners) listener(key);
  }

  /** Other replicas may have acquired all sessions. The next owners of the others hear that they were lost. Rejects when Redis is away. */
  async loseAll(): Promise<void> {
    const names = [...this.#names.values()];
    for (const key of [...this.#names.keys()]) this.lose(key);
    for (let start = 0; start < names.length; start += batchSize) {
      await this.#abandon(names.slice(start, start + batchSize), [this.#self, this.#timings.rememberMs]);
    }
  }

  release(key: string): void {
    const name = this.#names.get(key);
    if (name === undefined) return;
    this.#names.delete(key);
    this.#release([name], [this.#self]).catch(() => {});
  }

  onLost(listener: (key: string) => void): () => void {
    this.#lossListeners.add(listener);
    return () => void this.#lossListeners.delete(listener);
  }

  /**
   * Records every session again, and gives up those that another replica acquired. Without `isExclusive`, another replica may have
   * acquired those of which there is no record, too. Rejects when the lease has expired.
   */
  async record(leaseKeys: readonly string[], isExclusive: boolean): Promise<void> {
    const keys = [...this.#names.keys()];
    const { leaseMs, rememberMs } = this.#timings;
    for (let start = 0; start < keys.length; start += batchSize) {
      const batch = keys.slice(start, start + batchSize).filter((key) => this.#names.has(key));
      const names = batch.map((key) => this.nameOf(key));
      const owned = await this.#hold([...leaseKeys, ...names], [this.#self, leaseMs, rememberMs, isExclusive ? 1 : 0]);
      if (!Array.isArray(owned)) throw new Error("the lease expired while its sessions were recorded");
      for (const [index, key] of batch.entries()) if (owned[index] === 0) this.lose(key);
    }
  }
}
