// The bounded cache of session states of one process, and the listeners for changes.
import { storeDefaults } from "../../replicas/store-defaults.ts";
import type { SessionState } from "./session-store.ts";

/** The state of a session with its version. */
export interface VersionedState {
  /** Increases with each change; 0 for the initial state. */
  readonly version: number;
  readonly state?: SessionState | undefined;
}

interface Known extends VersionedState {
  readonly size: number;
  /** When the state was read, in ms since 1970. */
  readonly learnedAt: number;
}

/** The bounded cache of one process. */
export interface KnownSessions {
  get(sessionId: string): Known | undefined;
  /** Stores a state and notifies listeners if it is newer. Returns the newer of both: the database may have lost changes. */
  learn(sessionId: string, given: VersionedState): VersionedState;
  forget(sessionId: string): void;
  watch(sessionId: string, listener: (state: SessionState) => void): () => void;
  isOfInterest(sessionId: string): boolean;
}

/** The bounds of the cache of one process. */
export interface KnownSessionsLimits {
  /** Sessions in the cache; the least recently updated is dropped first. Default 10,000. */
  readonly maxSessions?: number;
  /** Size of all states in characters. Default 16 MiB. */
  readonly maxSize?: number;
}

/** Creates the cache of one process, with the listeners for changes. */
export function createKnownSessions(limits: KnownSessionsLimits): KnownSessions {
  const { sessions: defaults } = storeDefaults;
  const { maxSessions = defaults.maxSessions, maxSize = defaults.maxSize } = limits;
  /** Least recently updated first. */
  const sessions = new Map<string, Known>();
  const listeners = new Map<string, Set<(state: SessionState) => void>>();
  let totalSize = 0;

  function forget(sessionId: string): void {
    totalSize -= sessions.get(sessionId)?.size ?? 0;
    sessions.delete(sessionId);
  }

  return {
    get: (sessionId) => sessions.get(sessionId),
    forget,
    learn(sessionId, given) {
      const before = sessions.get(sessionId);
      const newest = before && before.version > given.version ? before : given;
      const { version, state } = newest;
      forget(sessionId);
      const size = state ? JSON.stringify(state).length : 0;
      sessions.set(sessionId, { version, state, size, learnedAt: Date.now() });
      totalSize += size;
      for (const oldest of sessions.keys()) {
        if (sessions.size <= maxSessions && totalSize <= maxSize) break;
        forget(oldest);
      }
      const isNews = state && version !== before?.version;
      if (isNews) for (const listener of listeners.get(sessionId) ?? []) listener(state);
      return newest;
    },
    watch(sessionId, listener) {
      const watching = listeners.get(sessionId) ?? new Set();
      listeners.set(sessionId, watching.add(listener));
      return () => {
        if (watching.delete(listener) && watching.size === 0) listeners.delete(sessionId);
      };
    },
    isOfInterest: (sessionId) => sessions.has(sessionId) || listeners.has(sessionId),
  };
}
