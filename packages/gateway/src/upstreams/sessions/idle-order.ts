// The idle sessions of a pool, the longest idle first. A linked list through the sessions: a change, and the search for the first, cost
// the same for any number of them.

/** A session, with its neighbours in the order. Only the order changes them. */
export interface Idler<T> {
  idleForLonger: T | undefined;
  idleForLess: T | undefined;
}

export class IdleOrder<T extends Idler<T>> {
  #first: T | undefined = undefined;
  #last: T | undefined = undefined;

  /** Adds a session that has become idle now, and is not in the order. */
  add(session: T): void {
    session.idleForLonger = this.#last;
    if (this.#last) this.#last.idleForLess = session;
    else this.#first = session;
    this.#last = session;
  }

  /** Without effect for a session that is not in the order. */
  remove(session: T): void {
    const { idleForLonger: before, idleForLess: after } = session;
    if (!before && this.#first !== session) return;
    if (before) before.idleForLess = after;
    else this.#first = after;
    if (after) after.idleForLonger = before;
    else this.#last = before;
    session.idleForLonger = undefined;
    session.idleForLess = undefined;
  }

  /** The longest idle first. The session at hand may be removed meanwhile. */
  *[Symbol.iterator](): Iterator<T> {
    for (let session = this.#first; session; ) {
      const next: T | undefined = session.idleForLess;
      yield session;
      session = next;
    }
  }
}
