// Subscriptions to sharded channels of a Redis Cluster: one connection to each primary that has any. They follow their slots after a
// failover or a move, and survive a reconnect; messages published meanwhile are lost.
import type { Redis } from "ioredis";

type Listener = (text: string) => void;

export interface ShardChannelsOptions {
  /** "host:port" of the primary of a channel's slot. Undefined while it is unknown. */
  primaryOf(channel: string): string | undefined;
  /** Opens a connection to a node, which connects by itself. */
  open(node: string): Redis;
  /** The primaries should be read again. */
  onDoubt(): void;
}

interface Ear {
  readonly redis: Redis;
  /** The channels that this connection has subscribed to. */
  readonly heard: Set<string>;
}

export class ShardChannels {
  readonly #options: ShardChannelsOptions;
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #ears = new Map<string, Ear>();
  readonly #resubscribed = new Set<() => void>();
  #isClosed = false;

  constructor(options: ShardChannelsOptions) {
    this.#options = options;
  }

  get connections(): readonly Redis[] {
    return [...this.#ears.values()].map(({ redis }) => redis);
  }

  /** Whether every channel is subscribed. */
  get isUp(): boolean {
    return [...this.#listeners.keys()].every((channel) => this.#earOf(channel)?.heard.has(channel));
  }

  /** Resolves when the channel is subscribed, or cannot be now. */
  async subscribe(channel: string, listener: Listener): Promise<() => Promise<void>> {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(listener));
    if (!this.#earOf(channel)?.heard.has(channel)) await this.#hear(channel);
    return async () => {
      const ear = this.#earOf(channel);
      if (listeners.size === 1 && listeners.has(listener) && ear?.heard.has(channel)) {
        await ear.redis.sunsubscribe(channel).catch(() => {});
        ear.heard.delete(channel);
      }
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(channel);
      // Another listener subscribed during the unsubscription.
      else if (!ear?.heard.has(channel)) await this.#hear(channel);
    };
  }

  onResubscribed(listener: () => void): () => void {
    this.#resubscribed.add(listener);
    return () => void this.#resubscribed.delete(listener);
  }

  /** Subscribes to the channels whose slot has another primary now, and closes connections that are not needed. */
  follow(): void {
    if (this.#isClosed) return;
    const channels = [...this.#listeners.keys()];
    const needed = new Set(channels.map((channel) => this.#options.primaryOf(channel)));
    for (const [node, { redis }] of this.#ears) {
      if (needed.has(node)) continue;
      this.#ears.delete(node);
      redis.disconnect();
    }
    const moved = channels.filter((channel) => !this.#earOf(channel)?.heard.has(channel));
    if (moved.length > 0) void this.#hearAgain(moved);
  }

  close(): void {
    this.#isClosed = true;
    for (const { redis } of this.#ears.values()) redis.disconnect();
    this.#ears.clear();
    this.#listeners.clear();
    this.#resubscribed.clear();
  }

  async #hearAgain(channels: readonly string[]): Promise<void> {
    const heard = await Promise.all(channels.map((channel) => this.#hear(channel)));
    if (heard.includes(true) && this.isUp) for (const listener of this.#resubscribed) listener();
  }

  #earOf(channel: string): Ear | undefined {
    const node = this.#options.primaryOf(channel);
    return node === undefined ? undefined : this.#ears.get(node);
  }

  /** Returns whether the channel is newly subscribed. */
  async #hear(channel: string): Promise<boolean> {
    const node = this.#options.primaryOf(channel);
    if (node === undefined || this.#isClosed) return false;
    const ear = this.#ears.get(node) ?? this.#open(node);
    try {
      if (ear.redis.status !== "ready") await untilReady(ear.redis);
      if (!this.#listeners.has(channel) || ear.heard.has(channel)) return false;
      await ear.redis.ssubscribe(channel);
      ear.heard.add(channel);
      return true;
    } catch {
      // The slot may have moved, or its primary is gone.
      this.#options.onDoubt();
      return false;
    }
  }

  #open(node: string): Ear {
    const redis = this.#options.open(node);
    const ear: Ear = { redis, heard: new Set() };
    this.#ears.set(node, ear);
    redis.on("smessage", (channel: string, text: string) => {
      for (const listener of this.#listeners.get(channel) ?? []) listener(text);
    });
    redis.on("sunsubscribe", (channel: string) => {
      // The node has given the slot away.
      if (ear.heard.delete(channel)) this.#options.onDoubt();
    });
    redis.on("close", () => {
      ear.heard.clear();
      this.#options.onDoubt();
    });
    redis.on("ready", () => this.follow());
    return ear;
  }
}

function untilReady(redis: Redis): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => () => {
      redis.off("ready", onReady);
      redis.off("close", onClose);
      act();
    };
    const onReady = settle(resolve);
    const onClose = settle(() => reject(new Error("the connection has closed")));
    redis.on("ready", onReady);
    redis.on("close", onClose);
  });
}
