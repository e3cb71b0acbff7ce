// Reads what a process writes without letting it occupy the event loop: a flood is read in small pieces, with rests between.
import type { Readable } from "node:stream";
import type { LoopShare } from "../call/loop-share.ts";

/** A chunk that takes longer is one of a flood, in ms. */
const floodMs = 4;
/** Of a flood, so much is read at once: a chunk of a pipe is 64 KiB. */
const pieceBytes = 4 * 1024;

const nothing: Uint8Array = new Uint8Array(0);

/** Calls `read` with all bytes of the stream in order, and with the last of them before the stream's other listeners hear of its end. */
export function readFairly(stream: Readable, share: LoopShare, read: (bytes: Uint8Array) => void): void {
  let isFlood = false;
  /** Of the chunk that is being read. */
  let rest = nothing;

  stream.on("data", (chunk: Uint8Array) => {
    if (rest.length > 0) {
      // The stream was resumed elsewhere: Node does that to the pipes of a process that exits.
      stream.pause();
      rest = Buffer.concat([rest, chunk]);
      return;
    }
    const startedAt = performance.now();
    if (isFlood) {
      rest = chunk;
      void readPieces();
      return;
    }
    read(chunk);
    const tookMs = share.spend(startedAt);
    isFlood = tookMs > floodMs;
    if (share.restMs > 0) void pause();
  });
  // A stream may end while it is paused. Nothing more comes of it, so that there is nothing to hold back.
  stream.on("end", () => {
    const last = rest;
    rest = nothing;
    if (last.length > 0) read(last);
  });

  async function pause(): Promise<void> {
    stream.pause();
    await share.rest();
    stream.resume();
  }

  async function readPieces(): Promise<void> {
    stream.pause();
    let took = 0;
    while (rest.length > 0) {
      if (share.restMs > 0) await share.rest();
      const startedAt = performance.now();
      const piece = rest.subarray(0, pieceBytes);
      rest = rest.subarray(piece.length);
      if (piece.length > 0) read(piece);
      took += share.spend(startedAt);
    }
    isFlood = took > floodMs;
    await pause();
  }
}
