// The keys of a simulated Redis, with their values and expiry.
import { ReplyError, wrongType } from "./reply.ts";

/** A sorted set by member. */
export class SortedSet extends Map<string, number> {}

export type Value = string | string[] | Set<string> | SortedSet | Map<string, string>;

interface Entry {
  value: Value;
  /** By the clock of Redis, in ms. */
  expiresAt: number;
}

const never = Number.POSITIVE_INFINITY;

export class Keyspace {
  readonly #entries = new Map<string, Entry>();
  readonly #now: () => number;

  /** `now` is the clock of Redis, in ms. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** A copy, as a stand-by or a file has it. */
  clone(): Keyspace {
    const copy = new Keyspace(this.#now);
    for (const [key, { value, expiresAt }] of this.#entries) {
      copy.#entries.set(key, { value: cloneValue(value), expiresAt });
    }
    return copy;
  }

  has(key: string): boolean {
    return this.#find(key) !== undefined;
  }

  keys(): string[] {
    return [...this.#entries.keys()].filter((key) => this.has(key));
  }

  typeOf(key: string): string {
    const value = this.#find(key)?.value;
    if (value === undefined) return "none";
    if (typeof value === "string") return "string";
    if (Array.isArray(value)) return "list";
    if (value instanceof Set) return "set";
    return value instanceof SortedSet ? "zset" : "hash";
  }

  string(key: string): string | undefined {
    const value = this.#find(key)?.value;
    if (value !== undefined && typeof value !== "string") throw new ReplyError(wrongType);
    return value;
  }

  list(key: string): string[] | undefined {
    const value = this.#find(key)?.value;
    if (value !== undefined && !Array.isArray(value)) throw new ReplyError(wrongType);
    return value;
  }

  set(key: string): Set<string> | undefined {
    const value = this.#find(key)?.value;
    if (value !== undefined && !(value instanceof Set)) throw new ReplyError(wrongType);
    return value;
  }

  sortedSet(key: string): SortedSet | undefined {
    const value = this.#find(key)?.value;
    if (value !== undefined && !(value instanceof SortedSet)) throw new ReplyError(wrongType);
    return value;
  }

  hash(key: string): Map<string, string> | undefined {
    const value = this.#find(key)?.value;
    const isHash = value instanceof Map && !(value instanceof SortedSet);
    if (value !== undefined && !isHash) throw new ReplyError(wrongType);
    return value as Map<string, string> | undefined;
  }

  /** Replaces the value and removes the expiry. */
  replace(key: string, value: Value): void {
    this.#entries.set(key, { value, expiresAt: never });
  }

  /** Replaces the value and keeps the expiry. */
  put(key: string, value: Value): void {
    const entry = this.#find(key);
    if (entry) entry.value = value;
    else this.replace(key, value);
  }

  delete(key: string): boolean {
    return this.has(key) && this.#entries.delete(key);
  }

  /** Deletes a collection that became empty. */
  tidy(key: string, size: number): void {
    if (size === 0) this.#entries.delete(key);
  }

  /** -2: no such key. -1: no expiry. */
  ttl(key: string): number {
    const entry = this.#find(key);
    if (!entry) return -2;
    return entry.expiresAt === never ? -1 : entry.expiresAt - this.#now();
  }

  expire(key: string, ms: number): boolean {
    const entry = this.#find(key);
    if (!entry) return false;
    if (ms <= 0) this.#entries.delete(key);
    else entry.expiresAt = this.#now() + ms;
    return true;
  }

  persist(key: string): boolean {
    const entry = this.#find(key);
    if (!entry || entry.expiresAt === never) return false;
    entry.expiresAt = never;
    return true;
  }

  #find(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || this.#now() < entry.expiresAt) return entry;
    this.#entries.delete(key);
    return undefined;
  }
}

function cloneValue(value: Value): Value {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return [...value];
  if (value instanceof Set) return new Set(value);
  return value instanceof SortedSet ? new SortedSet(value) : new Map(value);
}
