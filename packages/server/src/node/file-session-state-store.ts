// Session state in a file: it outlives the process, and all processes of one machine can share it.
import type { Database, RootDatabase } from "lmdb";
import { nextVersion, type SessionStateStore, type StoredSession } from "../session/session-state-store.ts";
import { openLmdb } from "./open-lmdb.ts";

interface Row extends StoredSession {
  /** In ms since 1970. */
  readonly expiresAt: number;
}

/** Expired sessions that one write deletes. */
const sweepBatch = 20;

export async function createFileSessionStateStore(path: string): Promise<SessionStateStore> {
  return new FileSessionStateStore(await openLmdb(path, "the session store"));
}

class FileSessionStateStore implements SessionStateStore {
  readonly #root: RootDatabase;
  readonly #rows: Database<Row, string>;
  readonly #byExpiry: Database<true, [number, string]>;

  constructor(root: RootDatabase) {
    this.#root = root;
    this.#rows = root.openDB({ name: "sessions", encoding: "json" });
    this.#byExpiry = root.openDB({ name: "sessions-by-expiry", encoding: "json" });
  }

  async read(key: string): Promise<StoredSession | undefined> {
    const row = this.#find(key);
    return row && { text: row.text, version: row.version };
  }

  write(key: string, text: string, { expected, ttlMs }: { expected: number; ttlMs: number }): Promise<boolean> {
    return this.#root.transaction(() => {
      const now = Date.now();
      this.#sweep(now);
      const before = this.#find(key);
      if ((before?.version ?? 0) !== expected) return false;
      if (before) this.#remove(key, before);
      const expiresAt = now + ttlMs;
      void this.#rows.put(key, { text, version: nextVersion(expected, now), expiresAt });
      void this.#byExpiry.put([expiresAt, key], true);
      return true;
    });
  }

  delete(key: string, expected: number): Promise<boolean> {
    return this.#root.transaction(() => {
      const row = this.#find(key);
      if (row?.version !== expected) return false;
      this.#remove(key, row);
      return true;
    });
  }

  #find(key: string): Row | undefined {
    const row = this.#rows.get(key);
    return row && row.expiresAt > Date.now() ? row : undefined;
  }

  #remove(key: string, { expiresAt }: Row): void {
    void this.#rows.remove(key);
    void this.#byExpiry.remove([expiresAt, key]);
  }

  /** Each write deletes more than it adds, so expired sessions do not pile up. */
  #sweep(now: number): void {
    for (const { key } of this.#byExpiry.getRange({ end: [now, ""], limit: sweepBatch })) {
      const [expiresAt, name] = key;
      void this.#byExpiry.remove(key);
      if (this.#rows.get(name)?.expiresAt === expiresAt) void this.#rows.remove(name);
    }
  }
}
