// The sessions that this process has used recently, by their ids. Dropping one loses nothing: its id opens it again.
import type { LegacyContext } from "../shared/legacy-context.ts";
import { isAvailable, type SessionState } from "../shared/session-store.ts";
import { LegacySession } from "./session.ts";
import type { SessionTokens } from "./session-token.ts";

interface Entry {
  readonly session: LegacySession;
  readonly callerId: string | undefined;
  /** When the id was last verified, in ms since 1970. */
  readonly openedAt: number;
}

type Found = LegacySession | "busy" | undefined;

/** After this time the id of a cached session is verified again, because it may have expired. */
const recheckMs = 600_000;

export interface SessionCache {
  /**
   * Returns undefined for a session that is unknown, expired, terminated or belongs to another caller, and "busy" if the cache is
   * full of sessions in use.
   */
  find(token: string, callerId: string | undefined): Found | Promise<Found>;
  all(): Iterable<LegacySession>;
}

export function createSessionCache(tokens: SessionTokens, context: LegacyContext): SessionCache {
  const { maxSessions, maxIdleSessions, store } = context.settings;
  const now = context.settings.clock.wallTime;
  /** Ordered by last use. */
  const entries = new Map<string, Entry>();
  /**
   * The entry used last. It stays in place while it is used again, because moving it for each request would keep old tables of the
   * map alive in V8. Comparing its long id is also cheaper than hashing it.
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

  /** Drops the oldest session if it is idle. One in use moves to the end, so that the next call looks at another. */
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
    return admit(token, { session: new LegacySession(facts, context), callerId, openedAt: now() }, state);
  }

  function admit(token: string, entry: Entry, state: SessionState | undefined): Found {
    if (state?.isTerminated) {
      drop(token);
      return undefined;
    }
    // Another request may have opened the session in the meantime: one session has one object.
    const session = lookUp(token)?.session ?? entry.session;
    return keep(token, session === entry.session ? entry : { ...entry, session }) ? session : "busy";
  }

  return {
    find(token, callerId) {
      const known = lookUp(token);
      const isFresh = known && known.callerId === callerId && now() - known.openedAt < recheckMs;
      if (!isFresh) return reopen(token, callerId);
      const state = store.get(known.session.facts.id);
      return isAvailable(state) ? admit(token, known, state) : state.then((it) => admit(token, known, it));
    },
    *all() {
      for (const { session } of entries.values()) yield session;
    },
  };
}
