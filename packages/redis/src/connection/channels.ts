// The subscriptions of one connection to Redis channels. They survive a reconnect; messages published meanwhile are lost.
import type { Redis } from "ioredis";

type Listener = (text: string) => void;

export class Channels {
  readonly #subscriber: Redis;
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #resubscribed = new Set<() => void>();
  #hasStarted = false;

  constructor(subscriber: Redis) {
    this.#subscriber = subscriber;
    subscriber.on("message", (channel: string, text: string) => {
      for (const listener of this.#listeners.get(channel) ?? []) listener(text);
    });
    subscriber.on("ready", () => {
      if (!this.#hasStarted) return;
      const notify = (): void => {
        for (const listener of this.#resubscribed) listener();
      };
      subscriber.subscribe(...this.#listeners.keys()).then(notify, () => {});
    });
  }

  /** From now on a reconnect restores the subscriptions. */
  start(): void {
    this.#hasStarted = true;
  }

  /** Calls `listener` with each message on the channel `name`. Returns a function that removes it. */
  async subscribe(name: string, listener: Listener): Promise<() => Promise<void>> {
    const listeners = this.#listeners.get(name) ?? new Set();
    const isFirst = listeners.size === 0;
    this.#listeners.set(name, listeners.add(listener));
    if (isFirst && this.#isReady) await this.#subscriber.subscribe(name);
    return async () => {
      const isLast = listeners.size === 1 && listeners.has(listener);
      if (isLast && this.#isReady) await this.#subscriber.unsubscribe(name).catch(() => {});
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(name);
      // Another listener subscribed during the unsubscription.
      else if (isLast && this.#isReady) await this.#subscriber.subscribe(name).catch(() => {});
    };
  }

  /** Calls `listener` after each reconnect, when all channels are subscribed again. Returns a function that removes it. */
  onResubscribed(listener: () => void): () => void {
    this.#resubscribed.add(listener);
    return () => void this.#resubscribed.delete(listener);
  }

  close(): void {
    this.#listeners.clear();
    this.#resubscribed.clear();
  }

  get #isReady(): boolean {
    return this.#subscriber.status === "ready";
  }
}
