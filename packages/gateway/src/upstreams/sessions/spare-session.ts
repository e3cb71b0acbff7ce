// Chooses among the sessions that callers share.
import { toSpareKey } from "./affinity.ts";
import type { SessionKey } from "./session.ts";
import type { SessionPool } from "./session-pool.ts";

/** Returns the key of the first shared session without a wait, else of the least used one. */
export function freeKeyOf(pool: SessionPool, key: SessionKey, maxShared: number): SessionKey {
  let least = key;
  let fewest = Number.POSITIVE_INFINITY;
  for (let n = 1; n <= maxShared; n++) {
    const spare = toSpareKey(key, n);
    const session = pool.find(spare.value);
    // While a session opens, the effect of its calls is not known yet.
    const isFree = session?.connection ? session.connection.isAsking !== true : !session || session.isIdle;
    if (isFree) return spare;
    if (session === undefined || session.users >= fewest) continue;
    least = spare;
    fewest = session.users;
  }
  return least;
}
