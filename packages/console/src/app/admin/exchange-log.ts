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
  /** Requests that the gateway counted and did not record, because there were too many. */
  addLeftOut(count: number): void;
  /** Of the last seconds in which requests were left out. Undefined if there are none. */
  readonly sample: Sample | undefined;
  clear(): void;
  subscribe(callback: () => void): () => void;
}

/** The gateway sends several together. New rows are drawn a few at a time, so that each frame has little to do. */
const maxAtOnce = 10;
/** More than this are drawn at once, such as those at the begin. */
const maxQueued = 60;

/** How much of the traffic the page shows. */
export interface Sample {
  /** Requests a second that the gateway recorded. */
  readonly shown: number;
  /** Requests a second that it received. */
  readonly received: number;
}

/** `schedule` delays the notification of subscribers, so that many requests cause one rendering. */
export function createExchangeLog(
  schedule: (callback: () => void) => void,
  now: () => number = () => performance.now(),
): ExchangeLog {
  const callbacks = new Set<() => void>();
  let snapshot: readonly Exchange[] = [];
  let added: Exchange[] = [];
  let missed = 0;
  const rates = createSampleRates(now);
  let isScheduled = false;

  function flush(): void {
    isScheduled = false;
    const shown = added.length > maxQueued ? added : added.slice(0, maxAtOnce);
    added = added.slice(shown.length);
    if (shown.length > 0) snapshot = inOrder([...snapshot, ...shown]).slice(-maxExchanges);
    for (const callback of callbacks) callback();
    if (added.length > 0) notify();
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
    get sample() {
      return rates.read();
    },
    add(exchange) {
      added.push(exchange);
      rates.add(1, 0);
      notify();
    },
    addMissed(count) {
      missed += count;
      notify();
    },
    addLeftOut(count) {
      rates.add(0, count);
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

const rateSeconds = 5;

/** Counts by second, over the last ones that have ended. */
function createSampleRates(now: () => number) {
  const seconds: { second: number; shown: number; leftOut: number }[] = [];
  return {
    add(shown: number, leftOut: number): void {
      const second = Math.floor(now() / 1_000);
      const last = seconds.at(-1);
      if (last?.second === second) {
        last.shown += shown;
        last.leftOut += leftOut;
        return;
      }
      seconds.push({ second, shown, leftOut });
      if (seconds.length > rateSeconds + 1) seconds.shift();
    },
    read(): Sample | undefined {
      const current = Math.floor(now() / 1_000);
      const ended = seconds.filter(({ second }) => second < current && second >= current - rateSeconds);
      const total = (of: "shown" | "leftOut") => ended.reduce((sum, one) => sum + one[of], 0);
      if (total("leftOut") === 0) return undefined;
      const perSecond = (count: number) => Math.round(count / ended.length);
      return { shown: perSecond(total("shown")), received: perSecond(total("shown") + total("leftOut")) };
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
