// The sessions that this process has seen lately, by their ids. Nothing is lost when one is dropped: its id opens it again.
import type { LegacyContext } from "../shared/legacy-context.ts";
import { isAvailable, type SessionState } from "../shared/session-store.ts";
import { LegacySession } from "./session.ts";
import type { SessionTokens } from "./session-token.ts";

interface Entry {
  readonly session: LegacySession;
  readonly callerId: string | undefined;
  /** When its id was last opened, in ms. */
  readonly openedAt: number;
}

type Found = LegacySession | "busy" | undefined;

/** An id expires also while its session is kept. */
const recheckMs = 600_000;

export interface SessionCache {
  /**
   * Undefined for what is no session of this caller: unknown, expired, terminated or another's. "busy" when all sessions
   * that fit in here are in use.
   */
  find(token: string, callerId: string | undefined): Found | Promise<Found>;
  all(): Iterable<LegacySession>;
}

export function createSessionCache(tokens: SessionTokens, context: LegacyContext): SessionCache {
  const { maxSessions, maxIdleSessions, store } = context.settings;
  /** In the order of last use. */
  const entries = new Map<string, Entry>();
  /**
   * The last in that order: one that is moved at each request would keep dead tables of the map alive. An id is long and
   * comes as a new text each time: to compare it costs less than to look for it.
   */
  let latest: { readonly token: string; readonly entry: Entry } | undefined;

  function lookUp(token: string): Entry | undefined {
    return latest?.token === token ? latest.entry : entries.get(token);
  }

  function keep(token: string, entry: Entry): boolean {
    if (latest?.token === token && latest.entry === entry) return true;
    drop(token);
    if (entries.size >= maxSessions && !dropOne()) return false;
    for (let looked = 0; entries.size >= maxIdleSessions && looked < 4; looked++) passOldest();
    entries.set(token, entry);
    latest = { token, entry };
    return true;
  }

  /** Drops the oldest session if it is idle; one in use counts as used just now, so that the next time looks at another. */
  function passOldest(): void {
    const [oldest] = entries;
    if (!oldest) return;
    const [token, entry] = oldest;
    drop(token);
    if (!entry.session.isIdle) entries.set(token, entry);
  }

  function drop(token: string): void {
    entries.delete(token);
    if (latest?.token === token) latest = undefined;
  }

  function dropOne(): boolean {
    for (const [token, { session }] of entries) {
      if (!session.isIdle) continue;
      drop(token);
      return true;
    }
    return false;
  }

  async function reopen(token: string, callerId: string | undefined): Promise<Found> {
    const facts = await tokens.open(token, callerId);
    if (!facts) {
      if (lookUp(token)?.callerId === callerId) drop(token);
      return undefined;
    }
    const state = await store.get(facts.id);
    return admit(token, { session: new LegacySession(facts, context), callerId, openedAt: Date.now() }, state);
  }

  function admit(token: string, entry: Entry, state: SessionState | undefined): Found {
    if (state?.isTerminated) {
      drop(token);
      return undefined;
    }
    // Another request may have opened it meanwhile: one session has one object.
    const session = lookUp(token)?.session ?? entry.session;
    return keep(token, session === entry.session ? entry : { ...entry, session }) ? session : "busy";
  }

  return {
    find(token, callerId) {
      const known = lookUp(token);
      const isFresh = known && known.callerId === callerId && Date.now() - known.openedAt < recheckMs;
      if (!isFresh) return reopen(token, callerId);
      const state = store.get(known.session.facts.id);
      return isAvailable(state) ? admit(token, known, state) : state.then((it) => admit(token, known, it));
    },
    *all() {
      for (const { session } of entries.values()) yield session;
    },
  };
}
