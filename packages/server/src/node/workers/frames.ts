// The frames on the pipe between a parent and one of its workers: a head of 13 bytes, then a body.

/** What a frame is for. */
export const frameKind = {
  /** A worker asks a store of the parent. The body is JSON: the operation and its arguments. */
  request: 1,
  /** The parent answers a request. The body is JSON, or empty for undefined. */
  answer: 2,
  /** The parent rejects a request. The body is JSON: a CarriedError. */
  failure: 3,
  /** The parent passes an event of a subscription, whose id the worker chose. The body is JSON. */
  event: 4,
  /** A worker sends JSON to another one, `peer`, or to all others: `peer` 0. The parent passes the body on unread. */
  message: 5,
  /** The same for a message that the parent may refuse while the other worker is slow. */
  refusableMessage: 6,
  /** The parent could not deliver the message with this id. The body is JSON: an UndeliveredReason. */
  undelivered: 7,
  /** The parent tells all workers which of them exist. The body is JSON: a list of WorkerPeer. */
  peers: 8,
  /** The parent asks for a sign of life. */
  ping: 9,
  pong: 10,
  /** The parent tells a worker what to do, or a worker answers that. The body is JSON. */
  control: 11,
} as const;

export interface Frame {
  readonly kind: number;
  /** The number of the other worker. 0 where the frame is for or from the parent. */
  readonly peer: number;
  /** Pairs requests and answers. */
  readonly id: number;
  readonly body: Buffer;
}

const headBytes = 13;
/** More is no frame of this program: the stream is broken. */
const maxBodyBytes = 64 * 1024 * 1024;

export function encodeFrame({ kind, peer, id, body }: Frame): Buffer {
  const bytes = Buffer.allocUnsafe(headBytes + body.length);
  bytes.writeUInt32LE(body.length, 0);
  bytes.writeUInt8(kind, 4);
  bytes.writeUInt32LE(peer, 5);
  bytes.writeUInt32LE(id, 9);
  body.copy(bytes, headBytes);
  return bytes;
}

/** Splits a stream of bytes into frames. */
export class FrameReader {
  readonly #head = Buffer.alloc(headBytes);
  #headLength = 0;
  #body: Buffer | undefined;
  #bodyLength = 0;

  /** Calls `onFrame` for each frame that is complete. Throws an Error if the bytes are no frames. */
  push(chunk: Buffer, onFrame: (frame: Frame) => void): void {
    let rest = chunk;
    while (rest.length > 0) {
      rest = this.#body === undefined ? this.#readHead(rest) : this.#readBody(rest, this.#body);
      const body = this.#body;
      if (body === undefined || this.#bodyLength < body.length) continue;
      this.#body = undefined;
      this.#headLength = 0;
      this.#bodyLength = 0;
      onFrame({
        kind: this.#head.readUInt8(4),
        peer: this.#head.readUInt32LE(5),
        id: this.#head.readUInt32LE(9),
        body,
      });
    }
  }

  #readHead(chunk: Buffer): Buffer {
    const count = Math.min(headBytes - this.#headLength, chunk.length);
    chunk.copy(this.#head, this.#headLength, 0, count);
    this.#headLength += count;
    const rest = chunk.subarray(count);
    if (this.#headLength < headBytes) return rest;
    const length = this.#head.readUInt32LE(0);
    if (length > maxBodyBytes) throw new Error(`a frame of at most ${maxBodyBytes} bytes expected, got ${length}`);
    // Most frames are in one chunk. Their body needs no copy.
    if (length <= rest.length) {
      this.#body = rest.subarray(0, length);
      this.#bodyLength = length;
      return rest.subarray(length);
    }
    this.#body = Buffer.allocUnsafe(length);
    return rest;
  }

  #readBody(chunk: Buffer, body: Buffer): Buffer {
    const count = Math.min(body.length - this.#bodyLength, chunk.length);
    chunk.copy(body, this.#bodyLength, 0, count);
    this.#bodyLength += count;
    return chunk.subarray(count);
  }
}
