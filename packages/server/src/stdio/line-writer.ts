// Collects the lines of one turn of the event loop and writes them together, in several writes if they are many.

/** The output of the lines. */
export interface Sink {
  /** Returns false when the client reads more slowly than the server writes. */
  write(text: string): boolean;
  /** Bytes written that the client has not read. */
  heldBytes(): number;
  /** Resolves when the client has read everything, or has left. */
  drained(): Promise<void>;
  /** Calls `flush` after the current turn of the event loop. */
  schedule(flush: () => void): void;
}

export interface LineWriter {
  /** Writes complete lines. Returns false when the client reads more slowly than the server writes. */
  send(lines: string): boolean;
  /** Bytes that the client has not read, approximately. */
  heldBytes(): number;
  drained(): Promise<void>;
  /** Drops the lines that are not written yet, and all later ones. */
  close(): void;
}

/**
 * Characters after which the collected lines are written immediately. More would save little, and the client would wait for its first
 * answers while the server works on the last ones.
 */
const flushLength = 4 * 1024;

export function createLineWriter(sink: Sink): LineWriter {
  let collected = "";
  let isScheduled = false;
  let isFlowing = true;
  let isClosed = false;

  function flush(): void {
    isScheduled = false;
    if (collected === "" || isClosed) return;
    const lines = collected;
    collected = "";
    isFlowing = sink.write(lines);
  }

  return {
    send(lines) {
      if (isClosed) return true;
      collected += lines;
      if (collected.length >= flushLength) flush();
      else if (!isScheduled) {
        isScheduled = true;
        sink.schedule(flush);
      }
      return isFlowing || sink.heldBytes() === 0;
    },
    heldBytes: () => sink.heldBytes() + collected.length,
    drained() {
      flush();
      return sink.drained();
    },
    close() {
      isClosed = true;
      collected = "";
    },
  };
}
