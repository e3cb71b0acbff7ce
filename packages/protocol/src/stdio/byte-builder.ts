// Collects bytes that arrive in pieces, in about the memory of the bytes. A typed array per one-byte piece would take two
// hundred times as much.

/** A cleared builder keeps at most this many bytes for reuse. */
const keptBytes = 64 * 1024;
const leastBytes = 512;

/** Collects bytes that arrive in pieces. */
export class ByteBuilder {
  readonly #maxBytes: number;
  #held: Uint8Array = new Uint8Array(0);
  #length = 0;

  /** `maxBytes` limits only the memory reserved ahead. The caller checks its own limit before it appends. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get length(): number {
    return this.#length;
  }

  /** Copies the bytes, so the caller may reuse their memory. */
  append(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > this.#held.length) this.#grow(length);
    this.#held.set(bytes, this.#length);
    this.#length = length;
  }

  /** The collected bytes. Valid until the next `append` or `clear`. */
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
