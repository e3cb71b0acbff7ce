// Merges all subscriptions of a client into one listen stream (E.2), reconnects it, and reports changes that may have been missed.
import { errorCode, isMcpError, type ListenFilter } from "@lethe/protocol";
import { isTransportError, TransportError } from "../call/transport-error.ts";
import { type Change, isWanted, toSyntheticChanges } from "./change.ts";
import { covers, intersectionsWith, unionOf } from "./listen-filter.ts";
import { type ListenStream, type ListenStreamOptions, openListenStream } from "./listen-stream.ts";
import { Subscriber, type Subscription } from "./subscriber.ts";

export interface SubscriptionsOptions extends Pick<ListenStreamOptions, "dispatch" | "build"> {
  /** Time limit for the acknowledgement, in ms. Default 30 000. */
  ackTimeoutMs?: number;
  /** The first delay before the stream is reopened, in ms. Each further delay is twice as long. Default 500. */
  minDelayMs?: number;
  /** The longest delay before the stream is reopened, in ms. Default 30 000. */
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

interface OpenStream {
  readonly stream: ListenStream;
  readonly filter: ListenFilter;
  honoured: ListenFilter;
  openedAt: number;
}

export class MergedSubscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #ackTimeoutMs: number;
  readonly #minDelayMs: number;
  readonly #maxDelayMs: number;
  readonly #maxSubscribers: number;
  readonly #random: () => number;
  readonly #subscribers = new Set<Subscriber>();
  #current: OpenStream | undefined;
  #opening: OpenStream | undefined;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #hasGap = false;
  #isClosed = false;

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
    this.#ackTimeoutMs = options.ackTimeoutMs ?? 30_000;
    this.#minDelayMs = options.minDelayMs ?? 500;
    this.#maxDelayMs = options.maxDelayMs ?? 30_000;
    this.#maxSubscribers = options.maxSubscribers ?? 1000;
    this.#random = options.random ?? Math.random;
  }

  /** Resolves when the server has acknowledged. Rejects with the server's error or a TransportError. */
  subscribe(filter: ListenFilter, onChange: (change: Change) => void): Promise<Subscription> {
    if (this.#isClosed) return Promise.reject(new TransportError("closed", "subscribe: the client is closed"));
    const max = this.#maxSubscribers;
    if (this.#subscribers.size >= max) {
      return Promise.reject(new TransportError("too_large", `subscribe: there are ${max} subscriptions`));
    }
    const subscriber = new Subscriber(filter, onChange, (ended) => {
      this.#subscribers.delete(ended);
      this.#refreshSoon();
    });
    this.#subscribers.add(subscriber);
    this.#refreshSoon();
    return subscriber.started;
  }

  close(): void {
    this.#isClosed = true;
    const error = new TransportError("closed", "the client was closed");
    for (const subscriber of [...this.#subscribers]) subscriber.end(subscriber.isWaiting ? error : undefined);
    this.#stop();
  }

  /** Subscriptions that begin or end in the same turn share one request. */
  #refreshSoon(): void {
    queueMicrotask(() => this.#refresh());
  }

  /** Opens a stream with the merged filter. The old stream closes after the acknowledgement, so that no change is missed. */
  #refresh(): void {
    const all = [...this.#subscribers];
    const wanted = unionOf(all.map(({ filter }) => filter));
    const isDelayed = this.#retryTimer !== undefined && !all.some(({ isWaiting }) => isWaiting);
    if (all.length === 0) this.#stop();
    else if (this.#current && covers(this.#current.filter, wanted)) this.#grantAll(this.#current.honoured);
    else if (!isDelayed && !(this.#opening && covers(this.#opening.filter, wanted))) this.#open(wanted);
  }

  #stop(): void {
    this.#cancelRetry();
    this.#current?.stream.close();
    this.#opening?.stream.close();
    this.#current = undefined;
    this.#opening = undefined;
    this.#hasGap = false;
    this.#failures = 0;
  }

  #open(filter: ListenFilter): void {
    this.#cancelRetry();
    this.#opening?.stream.close();
    const { dispatch, build } = this.#options;
    const onChange = (change: Change) => this.#deliver(change);
    const stream = openListenStream({ dispatch, build, filter, ackTimeoutMs: this.#ackTimeoutMs, onChange });
    const mine: OpenStream = { stream, filter, honoured: {}, openedAt: 0 };
    this.#opening = mine;
    stream.acknowledged.then(
      (honoured) => this.#onAcknowledged(mine, honoured),
      (error: unknown) => this.#onRefused(mine, error),
    );
    void stream.ended.then((error) => this.#onEnded(mine, error));
  }

  #onAcknowledged(mine: OpenStream, honoured: ListenFilter): void {
    if (this.#opening !== mine) return;
    this.#opening = undefined;
    this.#current?.stream.close();
    this.#current = mine;
    mine.honoured = honoured;
    mine.openedAt = performance.now();
    const missed = this.#hasGap ? toSyntheticChanges(honoured) : [];
    this.#hasGap = false;
    for (const change of missed) this.#deliver(change);
    this.#grantAll(honoured);
  }

  #grantAll(honoured: ListenFilter): void {
    const intersect = intersectionsWith(honoured);
    for (const subscriber of this.#subscribers) subscriber.grant(intersect);
  }

  /** Subscribers that wait for their first acknowledgement get the error. The others wait for the next stream. */
  #onRefused(mine: OpenStream, error: unknown): void {
    if (this.#opening !== mine) return;
    this.#opening = undefined;
    const isOver = !this.#current && isFinal(error);
    this.#endAll(error, (subscriber) => isOver || subscriber.isWaiting);
    if (!this.#current && this.#subscribers.size > 0) this.#retryLater();
  }

  // A stream that was not closed here is reopened, however it ended (J-1).
  #onEnded(mine: OpenStream, error: unknown): void {
    if (this.#current !== mine) return;
    this.#current = undefined;
    this.#hasGap = true;
    if (isFinal(error)) {
      this.#endAll(error, () => true);
      return;
    }
    if (performance.now() - mine.openedAt > this.#maxDelayMs) this.#failures = 0;
    if (!this.#opening) this.#retryLater();
  }

  #endAll(error: unknown, isAffected: (subscriber: Subscriber) => boolean): void {
    for (const subscriber of [...this.#subscribers]) if (isAffected(subscriber)) subscriber.end(error);
  }

  // With jitter, so that the clients of a restarted server do not all return at once (E-17).
  #retryLater(): void {
    const longest = Math.min(this.#maxDelayMs, this.#minDelayMs * 2 ** this.#failures);
    this.#failures += 1;
    this.#retryTimer = setTimeout(
      () => {
        this.#retryTimer = undefined;
        this.#refresh();
      },
      longest / 2 + (this.#random() * longest) / 2,
    );
  }

  #cancelRetry(): void {
    clearTimeout(this.#retryTimer);
    this.#retryTimer = undefined;
  }

  #deliver(change: Change): void {
    this.#options.onChange?.(change);
    for (const subscriber of this.#subscribers) {
      if (subscriber.isWaiting || !isWanted(subscriber.filter, change)) continue;
      try {
        subscriber.onChange(change);
      } catch (error) {
        this.#options.onWarning(`a subscriber failed at a change of ${change.kind}: ${String(error)}`);
      }
    }
  }
}

/** Errors that a retry cannot fix. */
function isFinal(error: unknown): boolean {
  if (isMcpError(error)) return error.code !== errorCode.internalError;
  return isTransportError(error) && (error.reason === "closed" || error.reason === "unauthorized");
}
