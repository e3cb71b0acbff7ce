// Reads the body of a node:http request: one read, and no copy when it comes in one piece.
import type { IncomingMessage } from "node:http";

export interface BodyReader {
  readonly maxBytes: number;
  onText(text: string): void;
  onTooLarge(): void;
  /** The client went away before the body was complete. */
  onBroken(): void;
}

export function readBody(request: IncomingMessage, reader: BodyReader): void {
  const pieces: Buffer[] = [];
  let length = 0;
  request.on("data", (piece: Buffer) => {
    length += piece.length;
    if (length <= reader.maxBytes) {
      pieces.push(piece);
      return;
    }
    pieces.length = 0;
    request.pause();
    reader.onTooLarge();
  });
  request.on("end", () => {
    const body = pieces.length > 1 ? Buffer.concat(pieces, length) : pieces[0];
    reader.onText(body ? body.toString() : "");
  });
  request.on("error", () => reader.onBroken());
}
