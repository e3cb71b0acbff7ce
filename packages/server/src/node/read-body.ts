// Reads the body of a node:http request, without a copy if it arrives in one piece. A request keeps its listeners until its stream
// closes, so all requests share the same functions, and their state is removed when the body is complete.
import type { IncomingMessage } from "node:http";
import { ByteBuilder, smallBytes } from "@lethe/protocol";
import { type DirectBody, giveBody } from "./direct-body.ts";

export interface BodyReceiver {
  readonly maxBytes: number;
  /** Called with the bytes held of a body that is not small. Returns false to stop reading. */
  onHeld(bytes: number): boolean;
  onText(text: string): void;
  onTooLarge(): void;
  /** The client left before the body was complete. */
  onBroken(): void;
}

interface Reading {
  readonly receiver: BodyReceiver;
  /** The first piece, which is usually the only one. */
  first: Buffer | undefined;
  /** All pieces of a body with more than one. */
  joined: ByteBuilder | undefined;
}

const reading: unique symbol = Symbol("lethe.reading");

type Request = IncomingMessage & Partial<DirectBody> & { [reading]?: Reading | undefined };

export function readBody(request: Request, receiver: BodyReceiver): void {
  request[reading] = { receiver, first: undefined, joined: undefined };
  request.on("error", onError);
  if (request[giveBody]?.(onData, onEnd)) return;
  request.on("data", onData);
  request.on("end", onEnd);
}

function onData(this: Request, piece: Buffer): void {
  const body = this[reading];
  if (!body) return;
  const { receiver, first } = body;
  const length = piece.length + ((body.joined ?? first)?.length ?? 0);
  if (length > receiver.maxBytes) {
    this[reading] = undefined;
    this.pause();
    receiver.onTooLarge();
  } else if (length >= smallBytes && !receiver.onHeld(length)) this[reading] = undefined;
  else if (first === undefined) body.first = piece;
  else {
    body.joined ??= new ByteBuilder(receiver.maxBytes);
    if (body.joined.length === 0) body.joined.append(first);
    body.joined.append(piece);
  }
}

function onEnd(this: Request): void {
  const body = this[reading];
  if (!body) return;
  this[reading] = undefined;
  body.receiver.onText(body.joined ? toText(body.joined.bytes()) : (body.first?.toString() ?? ""));
}

function onError(this: Request): void {
  const body = this[reading];
  this[reading] = undefined;
  body?.receiver.onBroken();
}

function toText({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString();
}
