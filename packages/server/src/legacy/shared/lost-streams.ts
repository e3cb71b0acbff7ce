// The GET streams whose clients have left. Each continues for a while, so that a client that reconnects misses nothing. They
// count for no other limit, so this one bounds their number.

export interface LostStream {
  end(): void;
}

export class LostStreams {
  readonly #max: number;
  /** Oldest first. */
  readonly #streams = new Set<LostStream>();

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Ends the oldest stream if there are too many. */
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
