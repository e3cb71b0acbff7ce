// The state of legacy sessions in records that several processes share. A process reads a session once and then receives its changes,
// so that requests rarely wait for the records. A change that did not arrive is noticed within `maxAgeMs`.

import { checkOptions, isMcpError, type KnownOptions, overloaded } from "@lethe/protocol";
import { createTurns } from "../../replicas/take-turns.ts";
import { createKnownSessions, type KnownSessionsLimits, type VersionedState } from "./known-sessions.ts";
import type { SessionState, SessionStore } from "./session-store.ts";

/** Where `createSharedSessionStore` keeps states. Methods may reject while the records are out of reach. */
export interface SessionRecords<Stamp> {
  /** Returns the stored state and a stamp that identifies it. Without a state, the stamp is that of no record. */
  read(sessionId: string): Promise<{ readonly stamp: Stamp; readonly found?: VersionedState | undefined }>;
  /**
   * Replaces the record if its stamp is still `stamp`, atomically. Returns the version of the new state, or undefined if another process
   * was faster. `newest` is the highest version that this process knows: that of the record may be lower after a loss of data.
   */
  write(
    sessionId: string,
    state: SessionState,
    replaced: { readonly stamp: Stamp; readonly newest: number },
  ): Promise<number | undefined>;
  delete(sessionId: string): Promise<unknown>;
  /** Sends a new state to the other processes. If it rejects, they read the change later. */
  announce(sessionId: string, state: VersionedState): Promise<unknown>;
}

/** Options of `createSharedSessionStore`. */
export interface SharedSessionStoreOptions extends KnownSessionsLimits {
  /** How long a process uses a cached state before it reads it again, in ms. Default 10,000. */
  maxAgeMs?: number;
}

/** For stores whose options contain these. */
export const knownSharedSessionStoreOptions: KnownOptions<SharedSessionStoreOptions> = {
  maxAgeMs: true,
  maxSessions: true,
  maxSize: true,
};

/** A store that learns what other processes announce. */
export interface SharedSessionStore extends SessionStore {
  /** Whether this process needs the changes of the session. The others need not be decrypted. */
  isOfInterest(sessionId: string): boolean;
  /** Receives the announcement of another process. */
  learn(sessionId: string, state: VersionedState): void;
}

/** An attempt fails only if another process changed the state meanwhile. */
const maxAttempts = 50;
const retryAfterMs = 1_000;

/**
 * For implementations of SessionStore over a database. While it is out of reach, cached states remain valid, and changes reject with a
 * retryable McpError.
 *
 * @example
 * import { createSharedSessionStore, type SessionState } from "@lethe/server/stores";
 *
 * const rows = new Map<string, { version: number; state: SessionState }>();
 * const store = createSharedSessionStore<number>({
 *   read: async (id) => ({ stamp: rows.get(id)?.version ?? 0, found: rows.get(id) }),
 *   async write(id, state, { stamp, newest }) {
 *     if ((rows.get(id)?.version ?? 0) !== stamp) return undefined;
 *     rows.set(id, { version: newest + 1, state });
 *     return newest + 1;
 *   },
 *   delete: async (id) => rows.delete(id),
 *   async announce() {},
 * });
 * await store.update("session", (state) => ({ ...state, logLevel: "debug" }));
 * console.log(await store.get("session")); // { logLevel: 'debug' }
 */
export function createSharedSessionStore<Stamp>(
  records: SessionRecords<Stamp>,
  options: SharedSessionStoreOptions = {},
): SharedSessionStore {
  checkOptions("createSharedSessionStore", options, knownSharedSessionStoreOptions);
  const { maxAgeMs = 10_000, ...limits } = options;
  const known = createKnownSessions(limits);
  const takeTurn = createTurns();

  async function load(sessionId: string): Promise<VersionedState & { readonly stamp: Stamp }> {
    const { stamp, found = { version: 0 } } = await records.read(sessionId);
    return { ...known.learn(sessionId, found), stamp };
  }

  async function change(sessionId: string, by: (state: SessionState) => SessionState): Promise<VersionedState> {
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const { state: before = {}, version: newest, stamp } = await load(sessionId);
      const state = by(before);
      const version = await records.write(sessionId, state, { stamp, newest });
      if (version === undefined) continue;
      const changed = { version, state };
      known.learn(sessionId, changed);
      return changed;
    }
    throw new Error(`a session was changed concurrently ${maxAttempts} times`);
  }

  return {
    get(sessionId) {
      const at = known.get(sessionId);
      if (at && Date.now() - at.learnedAt < maxAgeMs) return at.state;
      return load(sessionId).then(
        ({ state }) => state,
        () => at?.state,
      );
    },
    async update(sessionId, by) {
      let changed: VersionedState;
      try {
        changed = await takeTurn(sessionId, () => change(sessionId, by));
      } catch (error) {
        throw isMcpError(error) ? error : overloaded("session state cannot be written now", retryAfterMs);
      }
      await records.announce(sessionId, changed).catch(() => {});
    },
    async forget(sessionId) {
      known.forget(sessionId);
      await records.delete(sessionId).catch(() => {});
    },
    watch: known.watch,
    isOfInterest: known.isOfInterest,
    learn: (sessionId, state) => void known.learn(sessionId, state),
  };
}
