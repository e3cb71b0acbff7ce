// The sessions that this process has seen lately, by their ids. Nothing is lost when one is dropped: its id opens it again.
import type { LegacyParts } from "./legacy-parts.ts";
import { LegacySession } from "./session.ts";
import { isAtHand, type SessionState } from "./session-store.ts";
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

export function createSessionCache(tokens: SessionTokens, parts: LegacyParts): SessionCache {
  const { maxSessions, store } = parts.settings;
  /** In the order of last use. */
  const entries = new Map<string, Entry>();
  /** Is last in that order if it is there: one that is moved at each request would keep dead tables of the map alive. */
  let latest: string | undefined;

  function keep(token: string, entry: Entry): boolean {
    if (token !== latest || !entries.has(token)) {
      entries.delete(token);
      if (entries.size >= maxSessions && !dropOne()) return false;
      latest = token;
    }
    entries.set(token, entry);
    return true;
  }

  function dropOne(): boolean {
    for (const [token, { session }] of entries) {
      if (session.isIdle) return entries.delete(token);
    }
    return false;
  }

  async function reopen(token: string, callerId: string | undefined): Promise<Found> {
    const facts = await tokens.open(token, callerId);
    if (!facts) {
      if (entries.get(token)?.callerId === callerId) entries.delete(token);
      return undefined;
    }
    const state = await store.get(facts.id);
    return admit(token, { session: new LegacySession(facts, parts), callerId, openedAt: Date.now() }, state);
  }

  function admit(token: string, entry: Entry, state: SessionState | undefined): Found {
    if (state?.isTerminated) {
      entries.delete(token);
      return undefined;
    }
    // Another request may have opened it meanwhile: one session has one object.
    const session = entries.get(token)?.session ?? entry.session;
    return keep(token, session === entry.session ? entry : { ...entry, session }) ? session : "busy";
  }

  return {
    find(token, callerId) {
      const known = entries.get(token);
      const isFresh = known && known.callerId === callerId && Date.now() - known.openedAt < recheckMs;
      if (!isFresh) return reopen(token, callerId);
      const state = store.get(known.session.facts.id);
      return isAtHand(state) ? admit(token, known, state) : state.then((it) => admit(token, known, it));
    },
    *all() {
      for (const { session } of entries.values()) yield session;
    },
  };
}
