// A connection to a Redis Cluster. The driver's cluster client sends commands to the node of their key. Messages use sharded channels, so
// that each costs one shard. The directory gets a link of its own to the primary that has its keys: a failover of that shard is for it what
// a reconnect to another server is.

import { withDeadline } from "@lethe/server/forwarding";
import { Cluster, Redis, type RedisOptions } from "ioredis";
import { toTlsOptions } from "./client-certificate.ts";
import { createClusterNames, directoryName } from "./cluster-names.ts";
import { keySlot } from "./key-slot.ts";
import { type DriverOptions, driverOptions, retryDelay } from "./open-driver.ts";
import { PinnedNode } from "./pinned-node.ts";
import type { RedisLink } from "./redis-link.ts";
import type { ClusterTarget } from "./redis-target.ts";
import { ShardChannels } from "./shard-channels.ts";
import { TlsConnector } from "./tls-connector.ts";

export interface ClusterOptions {
  readonly prefix: string;
  readonly timeoutMs: number;
  onLost?: ((reason: string) => void) | undefined;
  onBack?: (() => void) | undefined;
}

const silent = "it does not answer";
const unknownNodes =
  "it does not name its nodes: check that cluster_state is ok, and that the nodes announce their addresses (cluster-announce-ip)";
/** The interval at which connections are probed, as a part of the timeout of commands. */
const probePart = 0.4;

export class ClusterConnection implements RedisLink {
  readonly client: Cluster;
  /** The link to the primary that has the keys of the directory. */
  readonly home: RedisLink & { readonly client: PinnedNode };
  readonly nameOf: (name: string) => string;
  readonly #options: ClusterOptions;
  readonly #driver: DriverOptions & Pick<RedisOptions, "username" | "password" | "tls" | "Connector">;
  readonly #channels: ShardChannels;
  readonly #pinned: PinnedNode;
  #isReading = false;
  #isLost = false;
  #isClosed = false;
  #reason = silent;
  #probes: NodeJS.Timeout | undefined;

  constructor(target: ClusterTarget, options: ClusterOptions) {
    const { username, password, isTls, nodes, certificate } = target;
    const { prefix, timeoutMs } = options;
    this.#options = options;
    this.#driver = {
      ...driverOptions(timeoutMs),
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
      ...(isTls && { tls: toTlsOptions(certificate), Connector: TlsConnector }),
    };
    const { enableOfflineQueue: _queue, retryStrategy: _retry, lazyConnect: _lazy, ...redisOptions } = this.#driver;
    this.client = new Cluster([...nodes], {
      lazyConnect: true,
      enableOfflineQueue: false,
      clusterRetryStrategy: retryDelay,
      slotsRefreshTimeout: timeoutMs,
      // A failover or an error reads the primaries at once.
      slotsRefreshInterval: 2_000,
      // A command that was sent may have run: it fails, and is not sent again.
      retryDelayOnFailover: 0,
      redisOptions: { ...redisOptions, connectionName: "lethe" },
      // Certificates name hosts, and not their addresses.
      ...(isTls && { dnsLookup: (address, callback) => callback(null, address) }),
    });
    this.client.on("error", (error: Error) => this.#note(error));
    this.client.on("node error", (error: Error) => this.#note(error));
    this.nameOf = createClusterNames(prefix);
    this.#channels = new ShardChannels({
      primaryOf: (channel) => this.#primaryOf(channel),
      open: (node) => this.#open(node, "lethe ears"),
      onDoubt: () => this.#readAgain(),
    });
    this.#pinned = new PinnedNode({
      primary: () => this.#primaryOf(this.nameOf(directoryName)),
      open: (node) => this.#open(node, "lethe"),
      onDoubt: () => this.#readAgain(),
    });
    const isUp = (): boolean => this.isUp;
    const failure = (): string => this.#reason;
    this.home = {
      client: this.#pinned,
      home: undefined,
      get isUp() {
        return isUp();
      },
      get failure() {
        return failure();
      },
      nameOf: this.nameOf,
      publish: (channel, text) => this.publish(channel, text),
      subscribe: (channel, listener) => this.subscribe(channel, listener),
      onResubscribed: (listener) => this.onResubscribed(listener),
      subscribersOf: (channels) => this.subscribersOf(channels),
    };
  }

  get isUp(): boolean {
    return this.client.status === "ready" && this.#pinned.isUp && this.#channels.isUp;
  }

  get localAddress(): string | undefined {
    return this.#pinned.localAddress;
  }

  /** Connects. Rejects with the first error. */
  async start(): Promise<void> {
    this.client.on("refresh", () => this.#follow());
    // The driver would try for ever.
    await withDeadline(this.#options.timeoutMs, this.client.connect()).catch(() => {
      throw new Error(this.#reason === silent ? unknownNodes : this.#reason);
    });
    await this.#pinned.start();
    for (const event of ["close", "ready"]) this.client.on(event, () => this.#judge());
    this.#probes = setInterval(() => this.#probe(), this.#options.timeoutMs * probePart).unref();
  }

  publish(channel: string, text: string): Promise<number> {
    return this.client.spublish(this.nameOf(channel), text) as Promise<number>;
  }

  subscribe(channel: string, listener: (text: string) => void): Promise<() => Promise<void>> {
    return this.#channels.subscribe(this.nameOf(channel), listener);
  }

  onResubscribed(listener: () => void): () => void {
    return this.#channels.onResubscribed(listener);
  }

  async subscribersOf(channels: readonly string[]): Promise<number[]> {
    const nodes = new Map(this.client.nodes("master").map((node) => [keyOf(node), node]));
    const counts = channels.map(async (channel) => {
      const name = this.nameOf(channel);
      const node = nodes.get(this.#primaryOf(name) ?? "");
      if (!node) throw new Error("the primary of a channel is unknown");
      return Number(((await node.call("PUBSUB", "SHARDNUMSUB", name)) as [string, number])[1]);
    });
    return Promise.all(counts);
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#probes);
    this.#channels.close();
    this.#pinned.close();
    this.client.disconnect();
  }

  #primaryOf(name: string): string | undefined {
    return this.client.slots[keySlot(name)]?.[0];
  }

  #open(node: string, connectionName: string): Redis {
    const end = node.lastIndexOf(":");
    const redis = new Redis({
      ...this.#driver,
      ...{ host: node.slice(0, end), port: Number(node.slice(end + 1)), connectionName },
    });
    redis.on("error", (error: Error) => this.#note(error));
    for (const event of ["close", "ready"]) redis.on(event, () => this.#judge());
    redis.connect().catch(() => {});
    return redis;
  }

  /** The driver's own error says only that no node answers. */
  #note(error: Error & { lastNodeError?: Error | null }): void {
    const { message } = error.lastNodeError ?? error;
    if (this.#reason === silent || message !== "Connection is closed.") this.#reason = message;
  }

  #follow(): void {
    if (this.#isClosed) return;
    this.#pinned.follow();
    this.#channels.follow();
    this.#judge();
  }

  /** Reads the primaries until every channel is subscribed again, at the interval of reconnects. */
  #readAgain(): void {
    if (this.#isReading || this.#isClosed) return;
    this.#isReading = true;
    setTimeout(() => {
      this.#isReading = false;
      if (this.#isClosed) return;
      this.client.refreshSlotsCache(() => {
        if (!this.isUp) this.#readAgain();
      });
    }, retryDelay(1)).unref();
  }

  #judge(): void {
    if (this.#isClosed || this.isUp !== this.#isLost) return;
    this.#isLost = !this.isUp;
    if (this.#isLost) this.#options.onLost?.(this.#reason);
    else {
      this.#reason = silent;
      this.#options.onBack?.();
    }
  }

  /** Ends connections on which nothing arrives: a peer that vanished can leave them open for hours. */
  #probe(): void {
    this.#judge();
    const connections = [...this.client.nodes("master"), ...this.#channels.connections, ...this.#pinned.connections];
    for (const connection of connections) {
      if (connection.status !== "ready") continue;
      connection.ping().catch((error: Error) => {
        if (error.message === "Command timed out") connection.stream.destroy();
      });
    }
  }
}

function keyOf({ options: { host, port } }: Redis): string {
  return `${host}:${port}`;
}
