// Gathers lines and writes them together: one write per turn, however many requests end in it.

/** Where the lines go. */
export interface Sink {
  /** False when the reader is slower than we are. */
  write(text: string): boolean;
  /** What was written and not taken yet, in bytes. */
  heldBytes(): number;
  /** Resolves when all of it is taken, or never will be. */
  drained(): Promise<void>;
  /** Calls `flush` when all that can be done now is done. */
  schedule(flush: () => void): void;
}

export interface LineWriter {
  /** Takes whole lines. False when the reader is slower than we are. */
  send(lines: string): boolean;
  /** What is not taken yet, in bytes or nearly so. */
  heldBytes(): number;
  drained(): Promise<void>;
  /** Drops what is not written yet and all that follows. */
  close(): void;
}

/** So much is worth a write of its own, in characters. */
const enough = 64 * 1024;

export function createLineWriter(sink: Sink): LineWriter {
  let gathered = "";
  let isScheduled = false;
  let isFlowing = true;
  let isClosed = false;

  function flush(): void {
    isScheduled = false;
    if (gathered === "" || isClosed) return;
    const lines = gathered;
    gathered = "";
    isFlowing = sink.write(lines);
  }

  return {
    send(lines) {
      if (isClosed) return true;
      gathered += lines;
      if (gathered.length >= enough) flush();
      else if (!isScheduled) {
        isScheduled = true;
        sink.schedule(flush);
      }
      return isFlowing || sink.heldBytes() === 0;
    },
    heldBytes: () => sink.heldBytes() + gathered.length,
    drained() {
      flush();
      return sink.drained();
    },
    close() {
      isClosed = true;
      gathered = "";
    },
  };
}
