// Commands to the primary of one slot of a Redis Cluster, over one connection. A failover, a move of the slot and a reconnect look the same:
// the connection is lost, commands fail, and then there is another one ("ready").
import type { Redis } from "ioredis";
import type { RedisCommands } from "./redis-link.ts";

export interface PinnedNodeOptions {
  /** "host:port" of the primary. Undefined while it is unknown. */
  primary(): string | undefined;
  /** Opens a connection to a node, which connects by itself. */
  open(node: string): Redis;
  /** The primary should be read again. */
  onDoubt(): void;
}

/** The node does not serve the slot, or not now. */
const notHere = /^(?:MOVED|ASK|CLUSTERDOWN|READONLY|TRYAGAIN|MASTERDOWN)\b/;

export class PinnedNode implements RedisCommands {
  readonly #options: PinnedNodeOptions;
  readonly #onReady = new Set<() => void>();
  #node: string | undefined;
  #redis: Redis | undefined;
  #isClosed = false;

  constructor(options: PinnedNodeOptions) {
    this.#options = options;
  }

  get isUp(): boolean {
    return this.#redis?.status === "ready";
  }

  get localAddress(): string | undefined {
    return (this.#redis?.stream as { localAddress?: string } | undefined)?.localAddress;
  }

  get connections(): readonly Redis[] {
    return this.#redis ? [this.#redis] : [];
  }

  /** Resolves when the first connection works. Rejects with its error. */
  start(): Promise<void> {
    this.follow();
    const redis = this.#redis;
    if (!redis) return Promise.reject(new Error("the Cluster has no primary for the keys of replicas"));
    if (redis.status === "ready") return Promise.resolve();
    return new Promise((resolve, reject) => redis.once("ready", resolve).once("error", reject));
  }

  /** Connects to the primary that the slot has now. */
  follow(): void {
    const node = this.#options.primary();
    if (this.#isClosed || node === undefined || node === this.#node) return;
    this.#redis?.disconnect();
    this.#node = node;
    const redis = this.#options.open(node);
    this.#redis = redis;
    redis.on("ready", () => {
      if (this.#redis === redis) for (const listener of this.#onReady) listener();
    });
    redis.on("close", () => {
      if (this.#redis === redis) this.#options.onDoubt();
    });
  }

  call(command: string, ...args: (string | number)[]): Promise<unknown> {
    return this.#send((redis) => redis.call(command, ...args));
  }

  evalsha(digest: string, keyCount: number, ...args: (string | number)[]): Promise<unknown> {
    return this.#send((redis) => redis.evalsha(digest, keyCount, ...args));
  }

  eval(text: string, keyCount: number, ...args: (string | number)[]): Promise<unknown> {
    return this.#send((redis) => redis.eval(text, keyCount, ...args));
  }

  on(_event: "ready", listener: () => void): void {
    this.#onReady.add(listener);
  }

  off(_event: "ready", listener: () => void): void {
    this.#onReady.delete(listener);
  }

  close(): void {
    this.#isClosed = true;
    this.#redis?.disconnect();
  }

  async #send(act: (redis: Redis) => Promise<unknown>): Promise<unknown> {
    if (!this.#redis) throw new Error("the Cluster has no primary for these keys now");
    try {
      return await act(this.#redis);
    } catch (error) {
      if (!(error instanceof Error && notHere.test(error.message))) throw error;
      this.#options.onDoubt();
      // No refusal by Redis: the primary is another node now.
      throw new Error(`the slot has moved: ${error.message}`);
    }
  }
}
