// Merges all subscriptions of a client into one listen stream (E.2), reconnects it, and reports changes that may have been missed.
import { errorCode, isMcpError, type ListenFilter } from "@lethe/protocol";
import { isTransportError, TransportError } from "../call/transport-error.ts";
import { type Change, isWanted, toSyntheticChanges } from "./change.ts";
import { covers, intersectionOf, unionOf } from "./listen-filter.ts";
import { type ListenStream, type ListenStreamOptions, openListenStream } from "./listen-stream.ts";

export interface Subscription {
  /** The granted part of the filter. May change when the stream is reopened. */
  readonly honoured: ListenFilter;
  /** Resolves when no more changes will come: with the error that ended the subscription, or undefined after `close`. */
  readonly ended: Promise<unknown>;
  close(): void;
}

export interface Subscriptions {
  /** Resolves when the server has acknowledged. Rejects with the server's error or a TransportError. */
  subscribe(filter: ListenFilter, onChange: (change: Change) => void): Promise<Subscription>;
  close(): void;
}

export interface SubscriptionsOptions extends Pick<ListenStreamOptions, "dispatch" | "build"> {
  /** Time limit for the acknowledgement, in ms. Default 30 000. */
  ackTimeoutMs?: number;
  /** Backoff before the stream is reopened, in ms: the first delay and the longest. Defaults 500 and 30 000. */
  minDelayMs?: number;
  maxDelayMs?: number;
  /** Limit of subscriptions. Default 1000. */
  maxSubscribers?: number;
  /** Receives each change before all subscribers. */
  onChange?: (change: Change) => void;
  /** Receives errors that a subscriber's function throws. */
  onWarning: (message: string) => void;
  /** Returns a number from 0 to 1. Default `Math.random`. */
  random?: () => number;
}

interface Subscriber {
  readonly filter: ListenFilter;
  readonly onChange: (change: Change) => void;
  /** Undefined until the server has acknowledged. */
  honoured: ListenFilter | undefined;
  start(): void;
  end(error: unknown): void;
}

interface OpenStream {
  readonly stream: ListenStream;
  readonly filter: ListenFilter;
  honoured: ListenFilter;
  openedAt: number;
}

export function createSubscriptions(options: SubscriptionsOptions): Subscriptions {
  const { ackTimeoutMs = 30_000, minDelayMs = 500, maxDelayMs = 30_000, maxSubscribers = 1000 } = options;
  const { dispatch, build, onWarning, random = Math.random } = options;
  const subscribers = new Set<Subscriber>();
  let current: OpenStream | undefined;
  let opening: OpenStream | undefined;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let hasGap = false;
  let isClosed = false;

  /** Opens a stream with the merged filter. The old stream closes after the acknowledgement, so that no change is missed. */
  function refresh(): void {
    const all = [...subscribers];
    const wanted = unionOf(all.map(({ filter }) => filter));
    const isWaiting = retryTimer !== undefined && all.every(({ honoured }) => honoured !== undefined);
    if (all.length === 0) stop();
    else if (current && covers(current.filter, wanted)) startAll(current.honoured);
    else if (!isWaiting && !(opening && covers(opening.filter, wanted))) open(wanted);
  }

  function stop(): void {
    stopWaiting();
    current?.stream.close();
    opening?.stream.close();
    current = undefined;
    opening = undefined;
    hasGap = false;
    failures = 0;
  }

  function open(filter: ListenFilter): void {
    stopWaiting();
    opening?.stream.close();
    const stream = openListenStream({ dispatch, build, filter, ackTimeoutMs, onChange: deliver });
    const mine: OpenStream = { stream, filter, honoured: {}, openedAt: 0 };
    opening = mine;
    stream.acknowledged.then(
      (honoured) => onAcknowledged(mine, honoured),
      (error: unknown) => onRefused(mine, error),
    );
    void stream.ended.then((error) => onEnded(mine, error));
  }

  function onAcknowledged(mine: OpenStream, honoured: ListenFilter): void {
    if (opening !== mine) return;
    opening = undefined;
    current?.stream.close();
    current = mine;
    mine.honoured = honoured;
    mine.openedAt = performance.now();
    const missed = hasGap ? toSyntheticChanges(honoured) : [];
    hasGap = false;
    for (const change of missed) deliver(change);
    startAll(honoured);
  }

  function startAll(honoured: ListenFilter): void {
    for (const subscriber of subscribers) {
      const isNew = subscriber.honoured === undefined;
      subscriber.honoured = intersectionOf(honoured, subscriber.filter);
      if (isNew) subscriber.start();
    }
  }

  /** Subscribers that wait for their first acknowledgement get the error. The others wait for the next stream. */
  function onRefused(mine: OpenStream, error: unknown): void {
    if (opening !== mine) return;
    opening = undefined;
    const isOver = !current && isFinal(error);
    for (const subscriber of [...subscribers]) {
      if (isOver || subscriber.honoured === undefined) subscriber.end(error);
    }
    if (!current && subscribers.size > 0) retryLater();
  }

  // A stream that was not closed here is reopened, however it ended (J-1).
  function onEnded(mine: OpenStream, error: unknown): void {
    if (current !== mine) return;
    current = undefined;
    hasGap = true;
    if (isFinal(error)) {
      for (const subscriber of [...subscribers]) subscriber.end(error);
      return;
    }
    if (performance.now() - mine.openedAt > maxDelayMs) failures = 0;
    if (!opening) retryLater();
  }

  // With jitter, so that the clients of a restarted server do not all return at once (E-17).
  function retryLater(): void {
    const longest = Math.min(maxDelayMs, minDelayMs * 2 ** failures);
    failures += 1;
    retryTimer = setTimeout(
      () => {
        retryTimer = undefined;
        refresh();
      },
      longest / 2 + (random() * longest) / 2,
    );
  }

  function stopWaiting(): void {
    clearTimeout(retryTimer);
    retryTimer = undefined;
  }

  function deliver(change: Change): void {
    options.onChange?.(change);
    for (const { filter, honoured, onChange } of subscribers) {
      if (honoured === undefined || !isWanted(filter, change)) continue;
      try {
        onChange(change);
      } catch (error) {
        onWarning(`a subscriber failed at a change of ${change.kind}: ${String(error)}`);
      }
    }
  }

  return {
    subscribe(filter, onChange) {
      if (isClosed) return Promise.reject(new TransportError("closed", "subscribe: the client is closed"));
      if (subscribers.size >= maxSubscribers) {
        return Promise.reject(new TransportError("too_large", `subscribe: there are ${maxSubscribers} subscriptions`));
      }
      return new Promise((resolve, reject) => {
        let settleEnded: (error: unknown) => void = () => {};
        const ended = new Promise<unknown>((settle) => {
          settleEnded = settle;
        });
        const subscriber: Subscriber = {
          filter: unionOf([filter]),
          onChange,
          honoured: undefined,
          start: () => resolve(subscription),
          end(error) {
            if (!subscribers.delete(subscriber)) return;
            if (subscriber.honoured === undefined) reject(error);
            settleEnded(error);
            queueMicrotask(refresh);
          },
        };
        const subscription: Subscription = {
          get honoured() {
            return subscriber.honoured ?? {};
          },
          ended,
          close: () => subscriber.end(undefined),
        };
        subscribers.add(subscriber);
        // Subscriptions created in the same turn share one request.
        queueMicrotask(refresh);
      });
    },
    close() {
      isClosed = true;
      const error = new TransportError("closed", "the client was closed");
      for (const subscriber of [...subscribers]) subscriber.end(subscriber.honoured === undefined ? error : undefined);
      stop();
    },
  };
}

/** Errors that a retry cannot fix. */
function isFinal(error: unknown): boolean {
  if (isMcpError(error)) return error.code !== errorCode.internalError;
  return isTransportError(error) && (error.reason === "closed" || error.reason === "unauthorized");
}
