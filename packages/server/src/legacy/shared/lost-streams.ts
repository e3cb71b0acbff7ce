// The GET streams whose clients have left. Each goes on for a while, so that a client that comes back misses nothing; they take
// no slot of any limit, so their number has a bound of its own.

export interface LostStream {
  end(): void;
}

export class LostStreams {
  readonly #max: number;
  /** The oldest first. */
  readonly #streams = new Set<LostStream>();

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Ends the oldest stream when there are too many. */
  add(stream: LostStream): void {
    this.#streams.add(stream);
    if (this.#streams.size <= this.#max) return;
    const [oldest] = this.#streams;
    if (oldest) {
      this.#streams.delete(oldest);
      oldest.end();
    }
  }

  delete(stream: LostStream): void {
    this.#streams.delete(stream);
  }
}
