// All subscriptions of a client as one listen stream (E.2): merged, kept alive, and honest about what was missed.
import { errorCode, isMcpError, type ListenFilter } from "@lethe/protocol";
import { isTransportError, TransportError } from "../call/transport-error.ts";
import { type Change, isWanted, toSyntheticChanges } from "./change.ts";
import { covers, intersectionOf, unionOf } from "./listen-filter.ts";
import { type ListenStream, type ListenStreamOptions, openListenStream } from "./listen-stream.ts";

export interface Subscription {
  /** What the server grants of the filter. May shrink or grow when the stream is made anew. */
  readonly honoured: ListenFilter;
  /** Resolves when no more changes will come: with the error that ended it, or undefined after `close`. */
  readonly ended: Promise<unknown>;
  close(): void;
}

export interface Subscriptions {
  /** Resolves when the server has acknowledged (E-11). Rejects with what it, or the way to it, says instead. */
  subscribe(filter: ListenFilter, onChange: (change: Change) => void): Promise<Subscription>;
  close(): void;
}

export interface SubscriptionsOptions extends Pick<ListenStreamOptions, "dispatch" | "build"> {
  /** Default 30 000 milliseconds. */
  ackTimeoutMs?: number;
  /** Before the stream is made anew, in milliseconds: the first wait and the longest. Default 500 and 30 000. */
  minDelayMs?: number;
  maxDelayMs?: number;
  /** Default 1000. */
  maxSubscribers?: number;
  /** Hears each change before any subscriber does. */
  onChange?: (change: Change) => void;
  /** Told of what a subscriber's function throws. */
  onWarning: (message: string) => void;
  /** From 0 to 1. Default `Math.random`. */
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

  /** Makes the stream fit what is wanted. The old one is closed when the new one is acknowledged, so nothing is missed. */
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

  /** Who waits for the first acknowledgement is told; who had one before waits on. */
  function onRefused(mine: OpenStream, error: unknown): void {
    if (opening !== mine) return;
    opening = undefined;
    const isOver = !current && isFinal(error);
    for (const subscriber of [...subscribers]) {
      if (isOver || subscriber.honoured === undefined) subscriber.end(error);
    }
    if (!current && subscribers.size > 0) retryLater();
  }

  /** However it ended (J-1), a stream that was not closed here is made anew. */
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

  /** With jitter, so that the clients of a restarted server do not come back all at once (E-17). */
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
        // Subscriptions that are made together share one request.
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

/** What will not get better by asking again. */
function isFinal(error: unknown): boolean {
  if (isMcpError(error)) return error.code !== errorCode.internalError;
  return isTransportError(error) && (error.reason === "closed" || error.reason === "unauthorized");
}
