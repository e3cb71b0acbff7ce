// Small texts with versions that workers share, in the memory of the parent. A worker replaces only what it has read.

interface StoredRecord {
  readonly text: string;
  /** Above 0, and rises with each write, also over the end of a record. */
  readonly version: number;
  readonly expiresAt: number;
}

export interface RecordsOptions {
  /** The record that was not written for the longest time is dropped for a new one. Default 100,000. */
  readonly maxRecords?: number;
  /** Characters of all records. Default 67,108,864. */
  readonly maxSize?: number;
  /** Returns the time in ms since 1970. Default: Date.now. */
  readonly now?: () => number;
}

export class Records {
  readonly #maxRecords: number;
  readonly #maxSize: number;
  readonly #now: () => number;
  /** The one that was not written for the longest time comes first. */
  readonly #records = new Map<string, StoredRecord>();
  #size = 0;
  #lastVersion = 0;

  constructor({ maxRecords = 100_000, maxSize = 64 * 1024 * 1024, now = Date.now }: RecordsOptions = {}) {
    this.#maxRecords = maxRecords;
    this.#maxSize = maxSize;
    this.#now = now;
  }

  read(key: string): { readonly text: string; readonly version: number } | undefined {
    const record = this.#records.get(key);
    if (!record || record.expiresAt > this.#now()) return record && { text: record.text, version: record.version };
    this.#remove(key);
    return undefined;
  }

  /** Returns the new version, or undefined if the version is not `expected`. 0 stands for no record. */
  write(key: string, text: string, { expected, ttlMs }: { expected: number; ttlMs: number }): number | undefined {
    if ((this.read(key)?.version ?? 0) !== expected) return undefined;
    this.#remove(key);
    this.#lastVersion = Math.max(this.#lastVersion + 1, Math.floor(this.#now()));
    this.#records.set(key, { text, version: this.#lastVersion, expiresAt: this.#now() + ttlMs });
    this.#size += text.length;
    for (const oldest of this.#records.keys()) {
      if (this.#records.size <= this.#maxRecords && this.#size <= this.#maxSize) break;
      this.#remove(oldest);
    }
    return this.#lastVersion;
  }

  /** Returns whether the record had the version `expected`. Undefined stands for any. */
  delete(key: string, expected: number | undefined): boolean {
    const record = this.read(key);
    if (!record || (expected !== undefined && record.version !== expected)) return false;
    this.#remove(key);
    return true;
  }

  #remove(key: string): void {
    this.#size -= this.#records.get(key)?.text.length ?? 0;
    this.#records.delete(key);
  }
}
