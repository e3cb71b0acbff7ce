// The notes by which workers tell each other how much room they have for new sessions, in the memory of the parent.

interface Note {
  readonly text: string;
  /** By `now`, in ms. */
  readonly until: number;
}

export class WorkerNotes {
  readonly #now: () => number;
  readonly #notes = new Map<string, Note>();

  /** `now` returns the time in ms. Default: `performance.now`. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Replaces the note of `worker`, and returns those of others. A parent has few workers, so none is left out. */
  exchange(worker: string, text: string, ttlMs: number): [worker: string, text: string][] {
    const now = this.#now();
    this.#notes.set(worker, { text, until: now + ttlMs });
    const others: [string, string][] = [];
    for (const [id, note] of this.#notes) {
      if (id !== worker && note.until > now) others.push([id, note.text]);
    }
    return others;
  }

  /** The worker takes no more sessions. */
  drop(worker: string): void {
    this.#notes.delete(worker);
  }
}
