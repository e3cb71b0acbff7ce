// Session state in the memory of one process.
import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { type Clock, systemClock } from "../clock/clock.ts";
import { openWorkerStore } from "../replicas/worker-stores.ts";
import { nextVersion, type SessionStateStore, type StoredSession } from "./session-state-store.ts";

/** Options of `createMemorySessionStateStore`. */
export interface MemorySessionStateStoreOptions {
  /** Sessions kept at a time. The one that was not written for the longest time is dropped for a new one. Default 10,000. */
  maxSessions?: number;
  /** The source of time. Default: the clock of this process. */
  clock?: Clock;
}

const knownMemorySessionStateStoreOptions: KnownOptions<MemorySessionStateStoreOptions> = {
  maxSessions: true,
  clock: true,
};

interface Row extends StoredSession {
  readonly expiresAt: number;
}

/**
 * Creates the store for the option `sessionStore` of a server of one process, or of one with workers, which share it. The state is lost
 * when the process ends.
 *
 * @example
 * import { createMemorySessionStateStore } from "@lethe/server/stores";
 *
 * const store = createMemorySessionStateStore({ maxSessions: 1_000 });
 * console.log(await store.write("key", "{}", { expected: 0, ttlMs: 60_000 })); // true
 * console.log((await store.read("key"))?.text); // {}
 */
export function createMemorySessionStateStore(options: MemorySessionStateStoreOptions = {}): SessionStateStore {
  checkOptions("createMemorySessionStateStore", options, knownMemorySessionStateStoreOptions);
  const shared = openWorkerStore<SessionStateStore>("sessions", "");
  if (shared) return shared;
  const { maxSessions = 10_000, clock = systemClock } = options;
  /** The one that was not written for the longest time comes first. */
  const rows = new Map<string, Row>();

  function find(key: string): Row | undefined {
    const row = rows.get(key);
    if (row === undefined || row.expiresAt > clock.now()) return row;
    rows.delete(key);
    return undefined;
  }

  return {
    async read(key) {
      const row = find(key);
      return row && { text: row.text, version: row.version };
    },
    async write(key, text, { expected, ttlMs }) {
      if ((find(key)?.version ?? 0) !== expected) return false;
      rows.delete(key);
      const [oldest] = rows.keys();
      if (oldest !== undefined && rows.size >= maxSessions) rows.delete(oldest);
      rows.set(key, { text, version: nextVersion(expected, clock.wallTime()), expiresAt: clock.now() + ttlMs });
      return true;
    },
    async delete(key, expected) {
      return find(key)?.version === expected && rows.delete(key);
    },
  };
}
