// subscriptions/listen (E.2): the open streams of this process, and the delivery of changes to them.

import {
  checkOptions,
  type Exchange,
  type KnownOptions,
  type ListenFilter,
  type ListenResult,
  type ModernRequest,
  onAbort,
  overloaded,
  tooManyRequests,
} from "@lethe/protocol";
import { type Bus, createMemoryBus } from "./bus.ts";
import type { Change } from "./change.ts";
import { createDelivery } from "./delivery.ts";
import { type FilterOptions, knownFilterOptions, toEffectiveFilter, topicsOf } from "./effective-filter.ts";
import { ListenStream } from "./listen-stream.ts";
import { createTopicIndex } from "./topic-index.ts";

/** Options of `createHub`. */
export interface HubOptions extends FilterOptions {
  /** Default: a bus of this process. A bus that is passed in stays open when the hub closes. */
  bus?: Bus;
  /** Default 10,000. */
  maxStreams?: number;
  /** For one authenticated caller. Default 1,000. */
  maxStreamsPerCaller?: number;
  /** The time in ms since 1970, at which credentials expire. Default `Date.now`. */
  now?: () => number;
}

const knownHubOptions: KnownOptions<HubOptions> = {
  ...knownFilterOptions,
  bus: true,
  maxStreams: true,
  maxStreamsPerCaller: true,
  now: true,
};

/** Delivers changes to the subscriptions of this process. Created by `createHub`. */
export interface Hub {
  /** Resolves when the subscription ends. Rejects with McpError when it cannot begin. */
  listen(request: ModernRequest, exchange: Exchange): Promise<ListenResult>;
  /** Notifies the streams of every hub on the bus. */
  publish(change: Change): void;
  /** How many streams are open. */
  readonly size: number;
  /** How many changes wait for slow readers. */
  readonly held: number;
  /** Ends every stream with its result and rejects new ones. */
  close(): void;
}

/** How long a rejected client should wait, in ms. */
const retryAfterMs = 5_000;

/**
 * Creates the hub that holds the open `subscriptions/listen` streams of one process and delivers changes to them.
 *
 * @example
 * import { createHub } from "@lethe/server/edge";
 *
 * const hub = createHub({ supports: () => new Set(["tools"] as const) });
 * hub.publish({ kind: "tools" });
 * console.log(hub.size); // 0
 * hub.close();
 */
export function createHub(options: HubOptions): Hub {
  checkOptions("createHub", options, knownHubOptions);
  const { bus = createMemoryBus(), maxStreams = 10_000, maxStreamsPerCaller = 1_000, now = Date.now } = options;
  const streams = new Set<ListenStream>();
  const index = createTopicIndex<ListenStream>();
  const countByCaller = new Map<string, number>();
  const delivery = createDelivery<ListenStream>(index.audience, (stream, topic, change) => {
    if (stream.isExpiredAt(now())) end(stream);
    else stream.deliver(topic, change);
  });
  const unsubscribe = bus.subscribe(delivery.add);
  let isClosed = false;

  function open(stream: ListenStream, effective: ListenFilter, exchange: Exchange): void {
    requireRoom(stream.callerId);
    stream.acknowledge(effective);
    // A stream without topics ends at once instead of holding a connection.
    if (stream.topics.length === 0) {
      stream.end();
      return;
    }
    streams.add(stream);
    index.add(stream);
    count(stream.callerId, 1);
    onAbort(exchange, () => end(stream));
  }

  function end(stream: ListenStream): void {
    if (!streams.delete(stream)) return;
    index.remove(stream);
    count(stream.callerId, -1);
    stream.end();
  }

  function requireRoom(callerId: string | undefined): void {
    if (isClosed) throw overloaded("the server is shutting down", retryAfterMs);
    if (streams.size >= maxStreams) throw overloaded(`at most ${maxStreams} subscriptions at a time`, retryAfterMs);
    if (callerId !== undefined && (countByCaller.get(callerId) ?? 0) >= maxStreamsPerCaller) {
      throw tooManyRequests(`at most ${maxStreamsPerCaller} subscriptions of one caller at a time`, retryAfterMs);
    }
  }

  function count(callerId: string | undefined, step: 1 | -1): void {
    if (callerId === undefined) return;
    const sum = (countByCaller.get(callerId) ?? 0) + step;
    if (sum > 0) countByCaller.set(callerId, sum);
    else countByCaller.delete(callerId);
  }

  return {
    listen(request, exchange) {
      // Not async, and without derived promises, to save memory for every stream.
      return new Promise((resolve, reject) => {
        toEffectiveFilter(request, exchange, options)
          .then((effective) =>
            open(new ListenStream(request.id, exchange, topicsOf(effective), resolve), effective, exchange),
          )
          .catch(reject);
      });
    },
    publish: (change) => bus.publish(change),
    get size() {
      return streams.size;
    },
    get held() {
      let sum = 0;
      for (const stream of streams) sum += stream.heldCount;
      return sum;
    },
    close() {
      isClosed = true;
      unsubscribe();
      delivery.finish();
      for (const stream of streams) end(stream);
    },
  };
}
