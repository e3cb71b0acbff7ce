// The sessions of each caller in a pool. Kept up to date, because every new session is checked against the limit of its caller.
import type { Session } from "./session.ts";

const none: ReadonlySet<Session> = new Set();

export class CallerSessions {
  readonly #byCaller: Map<string, Set<Session>> = new Map();
  /** How many callers have so many sessions, by that number. */
  readonly #callersWith: Map<number, number> = new Map();
  #most = 0;

  /** None for callers without identity: they share no limit, because they may be many. */
  of(callerId: string | undefined): ReadonlySet<Session> {
    return (callerId === undefined ? undefined : this.#byCaller.get(callerId)) ?? none;
  }

  /** The number of sessions of the caller with most. */
  get most(): number {
    return this.#most;
  }

  add(session: Session): void {
    const { callerId } = session.key;
    if (callerId === undefined) return;
    const sessions = this.#byCaller.get(callerId) ?? new Set<Session>();
    this.#byCaller.set(callerId, sessions.add(session));
    this.#recount(sessions.size - 1, sessions.size);
  }

  remove(session: Session): void {
    const { callerId } = session.key;
    const sessions = callerId === undefined ? undefined : this.#byCaller.get(callerId);
    if (callerId === undefined || !sessions?.delete(session)) return;
    if (sessions.size === 0) this.#byCaller.delete(callerId);
    this.#recount(sessions.size + 1, sessions.size);
  }

  /** The number of sessions of one caller changed by one. */
  #recount(before: number, now: number): void {
    const left = (this.#callersWith.get(before) ?? 0) - 1;
    if (left > 0) this.#callersWith.set(before, left);
    else this.#callersWith.delete(before);
    if (now > 0) this.#callersWith.set(now, (this.#callersWith.get(now) ?? 0) + 1);
    if (now > this.#most || (before === this.#most && left <= 0)) this.#most = now;
  }
}
