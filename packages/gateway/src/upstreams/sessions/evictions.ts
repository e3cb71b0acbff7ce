// Chooses the session that makes room for another one: the one that has been idle for longest.
import type { Session, SessionKey } from "./session.ts";

/** A session used within this time, in ms, is not evicted to make room for another caller. */
const graceMs = 60_000;

export class Evictions {
  readonly #sessions: Pick<Map<string, Session>, "values">;
  /** Before this time, in ms since 1970, no session has been idle for long enough. */
  #noneUntil = 0;

  constructor(sessions: Pick<Map<string, Session>, "values">) {
    this.#sessions = sessions;
  }

  /** For another session of the same caller. */
  forCaller(callerId: string | undefined): Session | undefined {
    return this.#longestIdle((key) => key.callerId === callerId);
  }

  /** For any caller. Every request that waits for room asks when a session ends, so a search in vain is not repeated at once. */
  forAnother(): Session | undefined {
    if (Date.now() < this.#noneUntil) return undefined;
    const found = this.#longestIdle(() => true);
    const restMs = found ? graceMs - found.idleMs : graceMs;
    if (restMs <= 0) return found;
    this.#noneUntil = Date.now() + restMs;
    return undefined;
  }

  #longestIdle(isChosen: (key: SessionKey) => boolean): Session | undefined {
    let longest: Session | undefined;
    for (const session of this.#sessions.values()) {
      if (session.key.isOwn || !session.isIdle || !isChosen(session.key)) continue;
      if (!longest || session.idleMs > longest.idleMs) longest = session;
    }
    return longest;
  }
}
