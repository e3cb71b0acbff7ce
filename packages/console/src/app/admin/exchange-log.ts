// The requests that this page has received, in the order in which they arrived at the gateway, newest last. Bounded, and outside of React: thousands arrive in a minute.
import type { Exchange } from "./admin-api.ts";

/** Older requests are dropped. */
export const maxExchanges = 5_000;

export interface ExchangeLog {
  /** A new array after each change, so that React notices. */
  readonly snapshot: readonly Exchange[];
  /** The number of requests that the gateway dropped before this page could read them. */
  readonly missed: number;
  add(exchange: Exchange): void;
  addMissed(count: number): void;
  clear(): void;
  subscribe(callback: () => void): () => void;
}

/** `schedule` delays the notification of subscribers, so that many requests cause one rendering. */
export function createExchangeLog(schedule: (callback: () => void) => void): ExchangeLog {
  const callbacks = new Set<() => void>();
  let snapshot: readonly Exchange[] = [];
  let added: Exchange[] = [];
  let missed = 0;
  let isScheduled = false;

  function flush(): void {
    isScheduled = false;
    if (added.length > 0) snapshot = inOrder([...snapshot, ...added]).slice(-maxExchanges);
    added = [];
    for (const callback of callbacks) callback();
  }

  function notify(): void {
    if (isScheduled) return;
    isScheduled = true;
    schedule(flush);
  }

  return {
    get snapshot() {
      return snapshot;
    },
    get missed() {
      return missed;
    },
    add(exchange) {
      added.push(exchange);
      notify();
    },
    addMissed(count) {
      missed += count;
      notify();
    },
    clear() {
      snapshot = [];
      added = [];
      missed = 0;
      notify();
    },
    subscribe(callback) {
      callbacks.add(callback);
      return () => callbacks.delete(callback);
    },
  };
}

/** Requests of other replicas come later than those of the replica that sends the stream. */
function inOrder(exchanges: Exchange[]): Exchange[] {
  const isSorted = exchanges.every(({ time }, index) => time >= (exchanges[index - 1]?.time ?? ""));
  return isSorted
    ? exchanges
    : exchanges.sort((one, other) => (one.time < other.time ? -1 : Number(one.time > other.time)));
}
