// Waits until a stream accepts more data or is closed. All waiting callers share one pair of listeners.
import type { Writable } from "node:stream";

export type Drainable = Pick<Writable, "writableNeedDrain" | "destroyed" | "once" | "off">;

export function createDrain(stream: Drainable): () => Promise<void> {
  let waiting: Promise<void> | undefined;
  return () => {
    if (stream.destroyed || !stream.writableNeedDrain) return Promise.resolve();
    waiting ??= new Promise((resolve) => {
      const done = (): void => {
        stream.off("drain", done);
        stream.off("close", done);
        waiting = undefined;
        resolve();
      };
      stream.once("drain", done);
      stream.once("close", done);
    });
    return waiting;
  };
}
