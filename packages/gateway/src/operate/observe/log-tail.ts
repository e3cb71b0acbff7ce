// The last entries of the log, for the event stream of the administration. Entries of requests are left out: they are exchanges.
import type { LogEntry, LogSink } from "./log.ts";

export interface LogTail {
  readonly add: LogSink;
  /** Returns the entries after a position, the oldest first. A fresh reader begins at `last`. */
  read(after: number): { readonly entries: readonly LogEntry[]; readonly last: number };
  readonly last: number;
  /** Calls back after each entry. Returns a function that ends this. */
  onAdded(callback: () => void): () => void;
}

const maxEntries = 200;

export function createLogTail(): LogTail {
  const entries: LogEntry[] = [];
  const callbacks = new Set<() => void>();
  let added = 0;
  return {
    add(entry) {
      if (entry.event === "request") return;
      entries[added % maxEntries] = entry;
      added += 1;
      for (const callback of callbacks) callback();
    },
    read(after) {
      const first = Math.max(after, added - maxEntries, 0);
      const kept = Array.from(
        { length: Math.max(0, added - first) },
        (_, index) => entries[(first + index) % maxEntries],
      );
      return { entries: kept as LogEntry[], last: added };
    },
    get last() {
      return added;
    },
    onAdded(callback) {
      callbacks.add(callback);
      return () => callbacks.delete(callback);
    },
  };
}
