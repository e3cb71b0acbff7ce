// The requests whose bodies are arriving, oldest first, so that the slowest can make room when all slots are taken. A linked list
// through the requests themselves: adding and deleting allocate nothing.

export interface ArrivingBody {
  older: ArrivingBody | undefined;
  newer: ArrivingBody | undefined;
  /** When it was added, in ms. -1 while it is not in the list. */
  since: number;
  /** Answers 503, closes the connection and removes itself from the list. */
  makeRoom(): void;
}

/** A body that arrives for less time is not slow. */
const slowAfterMs = 1_000;

export class ArrivingBodies {
  readonly #now: () => number;
  #oldest: ArrivingBody | undefined;
  #newest: ArrivingBody | undefined;

  /** `now` returns ms since any point in time. */
  constructor(now: () => number) {
    this.#now = now;
  }

  add(body: ArrivingBody): void {
    body.since = this.#now();
    body.older = this.#newest;
    if (this.#newest) this.#newest.newer = body;
    else this.#oldest = body;
    this.#newest = body;
  }

  delete(body: ArrivingBody): void {
    if (body.since < 0) return;
    const { older, newer } = body;
    if (older) older.newer = newer;
    else this.#oldest = newer;
    if (newer) newer.older = older;
    else this.#newest = older;
    body.older = undefined;
    body.newer = undefined;
    body.since = -1;
  }

  /** Rejects the request whose body has been arriving for longest. Returns false if none is slow. */
  dropSlowest(): boolean {
    const slowest = this.#oldest;
    if (!slowest || this.#now() - slowest.since < slowAfterMs) return false;
    slowest.makeRoom();
    return true;
  }
}
