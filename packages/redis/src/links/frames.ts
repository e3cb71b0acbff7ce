// The frames of a direct connection between two replicas. A frame carries one message or none, and acknowledges messages of the other
// direction. Its head is the size of its text (4 bytes), the number of its message (6 bytes, 0 for none) and the highest number that was
// handled (6 bytes).

export interface SentFrame {
  /** The number of the message. 0 for a frame without one: the first frame of a connection, or an acknowledgement. */
  readonly number: number;
  /** JSON. "" in an acknowledgement. */
  readonly text: string;
}

export interface Frame extends SentFrame {
  /** All messages of the other direction up to this number were handled. */
  readonly handled: number;
}

const headSize = 16;
const numberSize = 6;

/** Returns the bytes of frames, to be written at once. */
export function encodeFrames(frames: readonly SentFrame[], handled: number): Buffer {
  const sizes = frames.map(({ text }) => Buffer.byteLength(text));
  const bytes = Buffer.allocUnsafe(sizes.reduce((sum, size) => sum + headSize + size, 0));
  let at = 0;
  for (const [index, { number, text }] of frames.entries()) {
    at = bytes.writeUInt32BE(sizes[index] as number, at);
    at = bytes.writeUIntBE(number, at, numberSize);
    at = bytes.writeUIntBE(handled, at, numberSize);
    at += bytes.write(text, at);
  }
  return bytes;
}

/** Reads frames from pieces of any size. Holds at most one incomplete frame, besides the piece that was added last. */
export class FrameReader {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #size = 0;
  /** How many bytes the next step needs: those of a head, or of a whole frame. */
  #needed = headSize;

  /** `maxBytes`: the size of a text. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Whether a part of a frame has arrived. */
  get hasPart(): boolean {
    return this.#size > 0;
  }

  add(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#size += piece.length;
  }

  /** Returns undefined while the next frame is incomplete. Throws RangeError for one that is too large. */
  next(): Frame | undefined {
    if (this.#size < this.#needed) return undefined;
    // One copy for the head of a frame and one for the whole, however many pieces it has.
    const bytes = this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces);
    this.#pieces = [bytes];
    const size = bytes.readUInt32BE(0);
    if (size > this.#maxBytes) throw new RangeError(`at most ${this.#maxBytes} bytes expected in a frame, got ${size}`);
    this.#needed = headSize + size;
    if (this.#size < this.#needed) return undefined;
    const rest = bytes.subarray(this.#needed);
    this.#pieces = rest.length > 0 ? [rest] : [];
    this.#size = rest.length;
    this.#needed = headSize;
    return {
      number: bytes.readUIntBE(4, numberSize),
      handled: bytes.readUIntBE(4 + numberSize, numberSize),
      text: bytes.toString("utf8", headSize, headSize + size),
    };
  }
}
