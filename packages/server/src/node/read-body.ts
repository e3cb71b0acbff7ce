// Reads the body of a node:http request: one read, and no copy when it comes in one piece. A request keeps its listeners
// as long as its stream is open, so they are the same functions for all, and what they need goes when the body is read.
import type { IncomingMessage } from "node:http";

export interface BodyReceiver {
  readonly maxBytes: number;
  onText(text: string): void;
  onTooLarge(): void;
  /** The client went away before the body was complete. */
  onBroken(): void;
}

interface Reading {
  readonly receiver: BodyReceiver;
  readonly pieces: Buffer[];
  length: number;
}

const reading: unique symbol = Symbol("lethe.reading");

type Request = IncomingMessage & { [reading]?: Reading | undefined };

export function readBody(request: IncomingMessage, receiver: BodyReceiver): void {
  (request as Request)[reading] = { receiver, pieces: [], length: 0 };
  request.on("data", onData);
  request.on("end", onEnd);
  request.on("error", onError);
}

function onData(this: Request, piece: Buffer): void {
  const body = this[reading];
  if (!body) return;
  body.length += piece.length;
  body.pieces.push(piece);
  if (body.length <= body.receiver.maxBytes) return;
  this[reading] = undefined;
  this.pause();
  body.receiver.onTooLarge();
}

function onEnd(this: Request): void {
  const body = this[reading];
  if (!body) return;
  this[reading] = undefined;
  const { pieces, length, receiver } = body;
  const whole = pieces.length > 1 ? Buffer.concat(pieces, length) : pieces[0];
  receiver.onText(whole ? whole.toString() : "");
}

function onError(this: Request): void {
  const body = this[reading];
  this[reading] = undefined;
  body?.receiver.onBroken();
}
