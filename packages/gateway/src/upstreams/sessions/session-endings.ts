// Ends sessions that were retired together, a few in each turn of the event loop: the end of one is a request to its server, and
// tens of thousands at once would keep all other requests waiting.
import type { Session } from "./session.ts";

/** Sessions that end in one turn of the event loop. */
const maxPerTurn = 50;

export class SessionEndings {
  readonly #end: (session: Session) => void;
  readonly #waiting: Set<Session> = new Set();
  /** The number of sessions that ended in this turn. */
  #ended = 0;
  #nextTurn: NodeJS.Immediate | undefined;

  /** `end` is called once for each session, which may have ended by itself meanwhile. */
  constructor(end: (session: Session) => void) {
    this.#end = end;
  }

  add(session: Session): void {
    this.#waiting.add(session);
    this.#endSome();
  }

  close(): void {
    clearImmediate(this.#nextTurn);
    this.#waiting.clear();
  }

  #endSome(): void {
    for (const session of this.#waiting) {
      if (this.#ended === maxPerTurn) break;
      this.#ended += 1;
      this.#waiting.delete(session);
      this.#end(session);
    }
    this.#nextTurn ??= setImmediate(() => {
      this.#nextTurn = undefined;
      this.#ended = 0;
      if (this.#waiting.size > 0) this.#endSome();
    });
  }
}
