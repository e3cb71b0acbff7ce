// Reads the body of a node:http request, without a copy if it arrives in one piece. A request keeps its listeners until its stream
// closes, so all requests share the same functions, and their state is removed when the body is complete.
import type { IncomingMessage } from "node:http";
import { ByteBuilder, smallBytes } from "@lethe/protocol";
import { type BodyReader, type DirectBody, giveBody } from "./direct-body.ts";

export interface BodyReceiver {
  readonly maxBytes: number;
  /** Called with the bytes held of a body that is not small. Returns false to stop reading. */
  onHeld(bytes: number): boolean;
  onText(text: string): void;
  onTooLarge(): void;
  /** The client left before the body was complete. */
  onBroken(): void;
}

const reading: unique symbol = Symbol("lethe.reading");

type Request = IncomingMessage & Partial<DirectBody> & { [reading]?: Reading | undefined };

export function readBody(request: Request, receiver: BodyReceiver): void {
  const body = new Reading(receiver);
  request[reading] = body;
  request.on("error", onError);
  if (request[giveBody]?.(body)) return;
  request.on("data", onData);
  request.on("end", onEnd);
}

class Reading implements BodyReader {
  /** Undefined when nothing more is wanted: what still arrives is dropped. */
  #receiver: BodyReceiver | undefined;
  /** The first piece, which is usually the only one. */
  #first: Buffer | undefined = undefined;
  /** All pieces of a body with more than one. */
  #joined: ByteBuilder | undefined = undefined;

  constructor(receiver: BodyReceiver) {
    this.#receiver = receiver;
  }

  onPiece(piece: Buffer): boolean {
    const receiver = this.#receiver;
    if (!receiver) return true;
    const length = piece.length + ((this.#joined ?? this.#first)?.length ?? 0);
    if (length > receiver.maxBytes) {
      this.#close();
      receiver.onTooLarge();
      return false;
    }
    if (length >= smallBytes && !receiver.onHeld(length)) this.#close();
    else this.#append(piece, receiver.maxBytes);
    return true;
  }

  onEnd(): void {
    const receiver = this.#receiver;
    if (!receiver) return;
    const text = this.#joined ? toText(this.#joined.bytes()) : (this.#first?.toString() ?? "");
    this.#close();
    receiver.onText(text);
  }

  onBroken(): void {
    const receiver = this.#receiver;
    this.#close();
    receiver?.onBroken();
  }

  #append(piece: Buffer, maxBytes: number): void {
    if (this.#first === undefined) {
      this.#first = piece;
      return;
    }
    if (!this.#joined) {
      this.#joined = new ByteBuilder(maxBytes);
      this.#joined.append(this.#first);
    }
    this.#joined.append(piece);
  }

  /** The request keeps this object until its stream closes. */
  #close(): void {
    this.#receiver = undefined;
    this.#first = undefined;
    this.#joined = undefined;
  }
}

function onData(this: Request, piece: Buffer): void {
  if (!this[reading]?.onPiece(piece)) this.pause();
}

function onEnd(this: Request): void {
  this[reading]?.onEnd();
}

function onError(this: Request): void {
  this[reading]?.onBroken();
}

function toText({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString();
}
