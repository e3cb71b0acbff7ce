// How many sessions a pool has, in all and for each caller. Kept up to date, because every new session is checked against the limits.
import type { SessionKey } from "./session.ts";

export class SessionCounts {
  #counted = 0;
  /** Anonymous callers share no limit, because they may be many. */
  readonly #ofCallers: Map<string, number> = new Map();

  /** All sessions that count against the limits: not the gateway's own. */
  get counted(): number {
    return this.#counted;
  }

  ofCaller(callerId: string | undefined): number {
    return callerId === undefined ? 0 : (this.#ofCallers.get(callerId) ?? 0);
  }

  add(key: SessionKey): void {
    this.#change(key, 1);
  }

  remove(key: SessionKey): void {
    this.#change(key, -1);
  }

  #change({ callerId, isOwn }: SessionKey, by: 1 | -1): void {
    if (isOwn) return;
    this.#counted += by;
    if (callerId === undefined) return;
    const count = this.ofCaller(callerId) + by;
    if (count > 0) this.#ofCallers.set(callerId, count);
    else this.#ofCallers.delete(callerId);
  }
}
