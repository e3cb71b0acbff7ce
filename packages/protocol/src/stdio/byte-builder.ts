// Collects bytes that arrive in pieces, at about their size: a typed array of its own for each piece of one byte would cost
// two hundred times as much.

/** A cleared builder keeps at most so much for its next use. */
const keptBytes = 64 * 1024;
const leastBytes = 512;

export class ByteBuilder {
  readonly #maxBytes: number;
  #held: Uint8Array = new Uint8Array(0);
  #length = 0;

  /** `maxBytes` is only the most that is reserved ahead; the caller checks its limit before it appends. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get length(): number {
    return this.#length;
  }

  /** Copies the bytes: the caller may use their memory again. */
  append(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > this.#held.length) this.#grow(length);
    this.#held.set(bytes, this.#length);
    this.#length = length;
  }

  /** The bytes so far, until the next `append` or `clear`. */
  bytes(): Uint8Array {
    return this.#held.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
    if (this.#held.length > keptBytes) this.#held = new Uint8Array(0);
  }

  #grow(length: number): void {
    const ahead = Math.min(this.#maxBytes, Math.max(2 * this.#held.length, leastBytes));
    const larger = new Uint8Array(Math.max(length, ahead));
    larger.set(this.bytes());
    this.#held = larger;
  }
}
