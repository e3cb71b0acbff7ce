// A connection to Redis or Valkey: one TCP connection for commands and one for channels. Both reconnect automatically.

import { once } from "node:events";
import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { Redis } from "ioredis";
import { Channels } from "./channels.ts";
import { ConnectionState, reasonOf } from "./connection-state.ts";
import { startHeartbeat } from "./heartbeat.ts";
import { parseRedisInfo } from "./redis-info.ts";
import type { RedisLink } from "./redis-link.ts";
import { evictionProblem } from "./redis-problem.ts";

/** Options of `connectRedis`. */
export interface RedisOptions {
  /** `redis://` or `rediss://`, with user, password and database where needed. */
  url: string;
  /** Prefix of every key and channel. Default "lethe:". */
  prefix?: string;
  /** Timeout of a command in ms. A connection that is silent for longer is replaced. Default 5,000. */
  timeoutMs?: number;
  /** Called once per loss of the connection. The reason never contains a password. */
  onLost?: (reason: string) => void;
  /** Called when the connection works again. */
  onBack?: () => void;
  /** Called at the start if this Redis may evict data. */
  onProblem?: (problem: string) => void;
  /** Whether to connect to a Redis that may evict data. Default true. */
  allowEviction?: boolean;
}

export const knownRedisOptions: KnownOptions<RedisOptions> = {
  url: "a string",
  prefix: true,
  timeoutMs: true,
  onLost: true,
  onBack: true,
  onProblem: true,
  allowEviction: true,
};

/** A connection to Redis that reconnects by itself. Created by `connectRedis`. */
export interface RedisConnection extends RedisLink {
  /** The ioredis client. Commands reject at once while there is no connection. */
  readonly client: Redis;
  close(): void;
}

/**
 * Redis answers, but must not be used: it is a Redis Cluster, or it may evict data and the caller does not allow that. `reason` says
 * which. `connectRedis` rejects with it.
 *
 * @example
 * import { connectRedis, UnusableRedisError } from "@lethe/redis";
 *
 * try {
 *   const redis = await connectRedis({ url: "redis://127.0.0.1:6379", allowEviction: false });
 *   redis.close();
 * } catch (error) {
 *   if (error instanceof UnusableRedisError) console.error(error.reason, error.message);
 * }
 */
export class UnusableRedisError extends Error {
  readonly reason: "cluster" | "evicting";

  constructor(reason: UnusableRedisError["reason"], message: string) {
    super(message);
    this.name = "UnusableRedisError";
    this.reason = reason;
  }
}

/**
 * In ms. Much less than a permit (see peers/): the first replica that reaches Redis again ends the permits of the others, which give up
 * sessions if they are back later. A replica that joins an empty Redis waits longer than this before it takes sessions (`Restraint`).
 */
const maxRetryDelayMs = 200;
/** A connection to a read-only stand-by is replaced at most this often, in ms. */
const followEveryMs = 5_000;

/**
 * Connects to Redis 6.2 or later, or Valkey. Rejects with an Error when Redis is unreachable, rejects the credentials or is a Cluster. Later
 * losses are reported to `onLost`: commands fail at once, and the connection is restored with exponential backoff.
 *
 * @example
 * import { connectRedis } from "@lethe/redis";
 *
 * const redis = await connectRedis({ url: "redis://127.0.0.1:6379", prefix: "tracker:", onLost: console.error });
 * console.log(redis.isUp, redis.nameOf("tasks")); // true tracker:tasks
 * redis.close();
 */
export async function connectRedis(options: RedisOptions): Promise<RedisConnection> {
  checkOptions("connectRedis", options, knownRedisOptions);
  const { url, prefix = "lethe:", timeoutMs = 5_000 } = options;
  const state = new ConnectionState(options);
  const client = new Redis(url, {
    ...driverOptions(timeoutMs),
    connectionName: "lethe",
    reconnectOnError: followPrimary(state),
  });
  const subscriber = new Redis(url, {
    ...driverOptions(timeoutMs),
    connectionName: "lethe ears",
    autoResubscribe: false,
  });
  const both = [client, subscriber];
  // Without a listener an error would end the process.
  for (const connection of both) connection.on("error", () => {});
  const channels = new Channels(subscriber);
  const nameOf = (name: string): string => `${prefix}${name}`;
  const heartbeatChannel = nameOf(`round:${crypto.randomUUID()}`);
  try {
    await Promise.all(both.map(start));
    await channels.subscribe(heartbeatChannel, () => heartbeat.received());
    await requireUsable(client, options);
    channels.start();
  } catch (error) {
    for (const connection of both) connection.disconnect();
    if (error instanceof UnusableRedisError) throw error;
    throw new Error(toConnectMessage(url, reasonOf(error as Error)), { cause: error });
  }
  state.watch(both);
  const heartbeat = startHeartbeat({
    patienceMs: timeoutMs,
    isUp: () => state.isUp,
    send: () => client.publish(heartbeatChannel, ""),
    onSilent() {
      state.setReason(new Error("it does not answer, or its messages do not arrive"));
      // A graceful disconnect would wait for the dead peer.
      for (const { stream } of both) stream.destroy();
    },
  });
  return {
    client,
    get isUp() {
      return state.isUp;
    },
    nameOf,
    publish: (channel, text) => client.publish(nameOf(channel), text),
    subscribe: (channel, listener) => channels.subscribe(nameOf(channel), listener),
    onResubscribed: (listener) => channels.onResubscribed(listener),
    close() {
      state.close();
      heartbeat.close();
      channels.close();
      for (const connection of both) connection.disconnect();
    },
  };
}

function driverOptions(timeoutMs: number) {
  return {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: timeoutMs,
    connectTimeout: timeoutMs,
    retryStrategy: (times: number) => Math.min(50 * 2 ** Math.min(times, 10), maxRetryDelayMs),
  };
}

/** After a failover the address may lead to a read-only stand-by for a while. A new connection may lead to the primary. */
function followPrimary(state: ConnectionState): (error: Error) => boolean {
  let followedAt = Number.NEGATIVE_INFINITY;
  return ({ message }) => {
    if (!message.startsWith("READONLY") || performance.now() - followedAt < followEveryMs) return false;
    followedAt = performance.now();
    state.expectClose();
    return true;
  };
}

/** Names the address without its user and password. */
function toConnectMessage(url: string, reason: string): string {
  const { protocol, host, pathname } = URL.canParse(url) ? new URL(url) : { protocol: "", host: "", pathname: "" };
  const address = host === "" ? "the given address" : `${protocol}//${host}${pathname}`;
  const advice = /^(?:WRONGPASS|NOAUTH|NOPERM)/.test(reason)
    ? "check the user and password in its URL"
    : "check that it runs and that its URL is correct";
  return `Redis at ${address} cannot be used: ${reason}; ${advice}`;
}

/** Rejects with the first error: `connect` alone only says that the connection is closed. */
async function start(connection: Redis): Promise<void> {
  connection.connect().catch(() => {});
  await once(connection, "ready");
}

/** Rejects for a Redis Cluster: scripts use several keys that it would store on different nodes. */
async function requireUsable(client: Redis, { onProblem, allowEviction = true }: RedisOptions): Promise<void> {
  const sections = await Promise.all([client.info("server"), client.info("memory")]).catch(() => []);
  const { isCluster, evictionPolicy } = parseRedisInfo(sections.join("\n"));
  if (isCluster) {
    const text = "this is a Redis Cluster, which is not supported: use one primary, with or without stand-bys";
    throw new UnusableRedisError("cluster", text);
  }
  if (evictionPolicy === undefined) return;
  const { text } = evictionProblem(evictionPolicy);
  if (!allowEviction) throw new UnusableRedisError("evicting", text);
  onProblem?.(text);
}
