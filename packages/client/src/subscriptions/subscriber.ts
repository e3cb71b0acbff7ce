// One subscription of a client, from the request for it to its end.
import type { ListenFilter } from "@lethe/protocol";
import type { Change } from "./change.ts";
import { type Intersect, unionOf } from "./listen-filter.ts";

/** A subscription that the server has acknowledged. It survives broken streams until it is closed. */
export interface Subscription {
  /** The granted part of the filter. May change when the stream is reopened. */
  readonly honoured: ListenFilter;
  /** Resolves when no more changes will come: with the error that ended the subscription, or undefined after `close`. */
  readonly ended: Promise<unknown>;
  /** Ends the subscription. Idempotent. */
  close(): void;
}

export class Subscriber implements Subscription {
  readonly filter: ListenFilter;
  readonly onChange: (change: Change) => void;
  /** Resolves with the first acknowledgement. Rejects if the subscription ends before it. */
  readonly started: Promise<Subscription>;
  readonly ended: Promise<unknown>;
  readonly #onEnd: (subscriber: Subscriber) => void;
  #granted: ListenFilter | undefined;
  #hasEnded = false;
  #settleStart: (subscription: Subscription) => void = () => {};
  #failStart: (error: unknown) => void = () => {};
  #settleEnd: (error: unknown) => void = () => {};

  /** `onEnd` is called once. */
  constructor(filter: ListenFilter, onChange: (change: Change) => void, onEnd: (subscriber: Subscriber) => void) {
    this.filter = unionOf([filter]);
    this.onChange = onChange;
    this.#onEnd = onEnd;
    this.started = new Promise((resolve, reject) => {
      this.#settleStart = resolve;
      this.#failStart = reject;
    });
    this.ended = new Promise((resolve) => {
      this.#settleEnd = resolve;
    });
  }

  get honoured(): ListenFilter {
    return this.#granted ?? {};
  }

  /** True until the server has acknowledged for the first time. */
  get isWaiting(): boolean {
    return this.#granted === undefined;
  }

  /** The server has acknowledged a stream. `honoured`: what of a filter it delivers. */
  grant(honoured: Intersect): void {
    const isFirst = this.isWaiting;
    this.#granted = honoured(this.filter);
    if (isFirst) this.#settleStart(this);
  }

  end(error: unknown): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (this.isWaiting) this.#failStart(error);
    this.#settleEnd(error);
    this.#onEnd(this);
  }

  /** A property, so that callers may pass it on as a function. */
  readonly close = (): void => this.end(undefined);
}
