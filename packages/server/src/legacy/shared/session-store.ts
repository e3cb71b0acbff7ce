// What changes while a legacy session lasts. Everything else is in its id. Losing this is no error: a session then goes on
// with the defaults, which every client of a restarted server has to expect anyway.
import type { LogLevel } from "@lethe/protocol";

export interface SessionState {
  /** D-25 */
  readonly logLevel?: LogLevel;
  /** D-26: URIs. */
  readonly subscriptions?: readonly string[];
  /** D-38: ids, the newest last. */
  readonly tasks?: readonly string[];
  /** D-33: the client has ended the session. */
  readonly isTerminated?: boolean;
}

/** Shared by all processes of a deployment, or each process knows only what it was told itself. */
export interface SessionStore {
  /** Undefined when nothing has changed since the session began, or nothing is known any more. */
  get(sessionId: string): Promise<SessionState | undefined> | SessionState | undefined;
  /** Must be atomic: no other update of that session comes between what `change` gets and what it returns. */
  update(sessionId: string, change: (state: SessionState) => SessionState): Promise<void> | void;
  /** The session is over and its id will never come again. */
  forget(sessionId: string): Promise<void> | void;
  /** Calls `listener` after each update of that session, by whatever process. Returns how to stop. */
  watch(sessionId: string, listener: (state: SessionState) => void): () => void;
}

/** Whether a store has answered already, as the one in memory does: what is at hand is not waited for. */
export function isAvailable<T>(answer: T | Promise<T>): answer is T {
  return !(typeof answer === "object" && answer !== null && "then" in answer);
}

export interface MemorySessionStoreOptions {
  /** The state of the session that was longest unchanged makes room. Default 10,000. */
  maxSessions?: number;
  /** Characters of all states, which hold URIs. Default 16 MiB. */
  maxSize?: number;
  /** Default 30 days. */
  ttlMs?: number;
  now?: () => number;
}

interface Entry {
  readonly state: SessionState;
  readonly size: number;
  readonly expiresAt: number;
}

export function createMemorySessionStore(options: MemorySessionStoreOptions = {}): SessionStore {
  const { maxSessions = 10_000, maxSize = 16 * 1024 * 1024, ttlMs = 30 * 86_400_000, now = Date.now } = options;
  /** In the order of the last change. */
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
