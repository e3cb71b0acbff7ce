// Chooses the session that makes room for another one: the one that has been idle for longest.
import type { Session } from "./session.ts";
import type { SessionTable } from "./session-table.ts";

/** A session used within this time, in ms, is not evicted to make room for another caller. */
const graceMs = 60_000;

/** For another session of the same caller, who has no more than `sessions.maxPerCaller`. */
export function evictedForCaller(
  table: Pick<SessionTable, "ofCaller">,
  callerId: string | undefined,
): Session | undefined {
  let longest: Session | undefined;
  for (const session of table.ofCaller(callerId)) {
    if (session.isIdle && (!longest || session.idleMs > longest.idleMs)) longest = session;
  }
  return longest;
}

/** For any caller. Every request that waits for room asks whenever a session ends, so this looks at one session. */
export function evictedForAnother(table: Pick<SessionTable, "idle">): Session | undefined {
  for (const session of table.idle) {
    if (!session.key.isOwn) return session.idleMs >= graceMs ? session : undefined;
  }
  return undefined;
}
