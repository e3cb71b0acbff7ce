// The state of legacy sessions: what changes during a session. Everything else is in the session id. If the state is lost, the
// session continues with the defaults, as after a restart of the server.

import { checkOptions, type KnownOptions, type LogLevel } from "@lethe/protocol";
import { storeDefaults } from "../../replicas/store-defaults.ts";

/** What a session of an older revision accumulates. The session id contains everything else. */
export interface SessionState {
  // D-25
  readonly logLevel?: LogLevel;
  /** The subscribed URIs. */
  readonly subscriptions?: readonly string[];
  /** The ids of the tasks that the session started, the newest last. */
  readonly tasks?: readonly string[];
  /** The client has ended the session. */
  readonly isTerminated?: boolean;
  /** A unique id of the client's last announcement that its roots changed. */
  readonly rootsVersion?: string;
}

/** Stores the state of sessions. Without a shared store, each process knows only the changes that it received itself. */
export interface SessionStore {
  /** Returns undefined for a session without changes, and for one whose state was dropped. */
  get(sessionId: string): Promise<SessionState | undefined> | SessionState | undefined;
  /** Replaces the state by the result of `change`. Atomic: no other update of the session happens in between. */
  update(sessionId: string, change: (state: SessionState) => SessionState): Promise<void> | void;
  /** Deletes the state of a session that has ended and whose id will not be used again. */
  forget(sessionId: string): Promise<void> | void;
  /** Calls `listener` after each update of the session by any process. Returns a function that stops watching. */
  watch(sessionId: string, listener: (state: SessionState) => void): () => void;
}

/** True for the answer of a store that did not return a promise, such as the one in memory: it need not be awaited. */
export function isAvailable<T>(answer: T | Promise<T>): answer is T {
  return !(typeof answer === "object" && answer !== null && "then" in answer);
}

/** Options of `createMemorySessionStore`. */
export interface MemorySessionStoreOptions {
  /** Sessions kept. The one that changed least recently is dropped first. Default 10,000. */
  maxSessions?: number;
  /** Characters kept in total, as JSON. Default 16,777,216. */
  maxSize?: number;
  /** How long the state is kept after its last change. Default 30 days. */
  ttlMs?: number;
  /** Returns the time in ms. Default: Date.now. */
  now?: () => number;
}

const knownMemorySessionStoreOptions: KnownOptions<MemorySessionStoreOptions> = {
  maxSessions: true,
  maxSize: true,
  ttlMs: true,
  now: true,
};

interface Entry {
  readonly state: SessionState;
  readonly size: number;
  readonly expiresAt: number;
}

/**
 * Creates a store for one process. The session that changed least recently is dropped first.
 *
 * @example
 * import { createMemorySessionStore } from "@lethe/server/stores";
 *
 * const sessions = createMemorySessionStore({ maxSessions: 1_000 });
 * console.log(await sessions.get("unknown")); // undefined
 */
export function createMemorySessionStore(options: MemorySessionStoreOptions = {}): SessionStore {
  checkOptions("createMemorySessionStore", options, knownMemorySessionStoreOptions);
  const { sessions: defaults } = storeDefaults;
  const { maxSessions = defaults.maxSessions, maxSize = defaults.maxSize, ttlMs = defaults.ttlMs } = options;
  const { now = Date.now } = options;
  /** Ordered by the last change. */
  const entries = new Map<string, Entry>();
  const listeners = new Map<string, Set<(state: SessionState) => void>>();
  let totalSize = 0;

  function forget(sessionId: string): void {
    totalSize -= entries.get(sessionId)?.size ?? 0;
    entries.delete(sessionId);
  }

  function makeRoom(): void {
    for (const [id, { expiresAt }] of entries) {
      if (entries.size <= maxSessions && totalSize <= maxSize && expiresAt > now()) return;
      forget(id);
    }
  }

  function get(sessionId: string): SessionState | undefined {
    const entry = entries.get(sessionId);
    return entry && entry.expiresAt > now() ? entry.state : undefined;
  }

  return {
    get,
    forget,
    update(sessionId, change) {
      const state = change(get(sessionId) ?? {});
      const size = JSON.stringify(state).length;
      forget(sessionId);
      entries.set(sessionId, { state, size, expiresAt: now() + ttlMs });
      totalSize += size;
      makeRoom();
      for (const listener of listeners.get(sessionId) ?? []) listener(state);
    },
    watch(sessionId, listener) {
      const watching = listeners.get(sessionId) ?? new Set();
      listeners.set(sessionId, watching.add(listener));
      return () => {
        if (watching.delete(listener) && watching.size === 0) listeners.delete(sessionId);
      };
    },
  };
}
