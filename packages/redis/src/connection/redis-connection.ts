// A connection to Redis or Valkey: one TCP connection for commands and one for channels. Both reconnect automatically.
import { once } from "node:events";
import { Redis } from "ioredis";
import { Channels } from "./channels.ts";
import { startHeartbeat } from "./heartbeat.ts";

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
}

export interface RedisConnection {
  /** The ioredis client. Commands reject at once while there is no connection. */
  readonly client: Redis;
  /** Whether commands and channels work. */
  readonly isUp: boolean;
  /** Adds the prefix to a key or channel. */
  nameOf(name: string): string;
  /** Returns the number of connections that received the message; 0 when there was no subscriber. */
  publish(channel: string, text: string): Promise<number>;
  /**
   * Calls `listener` with each message on a channel, also after a reconnect; messages published meanwhile are lost. Resolves
   * when Redis has acknowledged the subscription, or while there is no connection. Returns a function that unsubscribes: when
   * it resolves, all messages that Redis counted as received have been handled.
   */
  subscribe(channel: string, listener: (text: string) => void): Promise<() => Promise<void>>;
  /** Calls `listener` after each reconnect, when all channels are subscribed again. Returns a function that removes it. */
  onResubscribed(listener: () => void): () => void;
  close(): void;
}

const maxRetryDelayMs = 2_000;

/**
 * Connects to Redis 6.2 or later, or Valkey. Rejects with an Error when Redis is unreachable or rejects the credentials. Later
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
  const { url, prefix = "lethe:", timeoutMs = 5_000 } = options;
  const client = new Redis(url, { ...driverOptions(timeoutMs), connectionName: "lethe" });
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
    const eviction = options.onProblem && (await findEviction(client));
    if (eviction !== undefined) options.onProblem?.(eviction);
    channels.start();
  } catch (error) {
    for (const connection of both) connection.disconnect();
    throw new Error(reasonOf(error as Error), { cause: error });
  }
  const isUp = (): boolean => both.every(({ status }) => status === "ready");
  const reporter = reportState(both, options);
  const heartbeat = startHeartbeat({
    patienceMs: timeoutMs,
    isUp,
    send: () => client.publish(heartbeatChannel, ""),
    onSilent() {
      reporter.setReason(new Error("it does not answer, or its messages do not arrive"));
      // A graceful disconnect would wait for the dead peer.
      for (const { stream } of both) stream.destroy();
    },
  });
  return {
    client,
    get isUp() {
      return isUp();
    },
    nameOf,
    publish: (channel, text) => client.publish(nameOf(channel), text),
    subscribe: (channel, listener) => channels.subscribe(nameOf(channel), listener),
    onResubscribed: (listener) => channels.onResubscribed(listener),
    close() {
      reporter.close();
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
    // After a failover the address may lead to a read-only replica for a while.
    reconnectOnError: ({ message }: Error) => message.includes("READONLY"),
    retryStrategy: (times: number) => Math.min(50 * 2 ** Math.min(times, 10), maxRetryDelayMs),
  };
}

/** Rejects with the first error: `connect` alone only says that the connection is closed. */
async function start(connection: Redis): Promise<void> {
  connection.connect().catch(() => {});
  await once(connection, "ready");
}

interface StateReporter {
  /** Sets the reason of the loss that is about to happen. */
  setReason(reason: Error): void;
  close(): void;
}

/** Calls `onLost` and `onBack` once per loss, even if both connections fail and retry several times. */
function reportState(connections: readonly Redis[], { onLost, onBack }: RedisOptions): StateReporter {
  let isLost = false;
  let isClosed = false;
  let reason: Error | undefined;
  for (const connection of connections) {
    connection.on("error", (error: Error) => {
      reason = error;
    });
    connection.on("close", () => {
      if (isLost || isClosed) return;
      isLost = true;
      onLost?.(reason ? reasonOf(reason) : "it has closed the connection");
    });
    connection.on("ready", () => {
      if (!isLost || !connections.every(({ status }) => status === "ready")) return;
      isLost = false;
      reason = undefined;
      onBack?.();
    });
  }
  return {
    setReason(error) {
      reason = error;
    },
    close() {
      isClosed = true;
    },
  };
}

/** The AggregateError of a host name with several addresses has no useful message of its own. */
function reasonOf(error: Error): string {
  if (/unknown resp type/i.test(error.message)) return "the server at this address is no Redis";
  const [first] = error instanceof AggregateError ? (error.errors as Error[]) : [];
  return first?.message || error.message || String((error as NodeJS.ErrnoException).code ?? "no reason given");
}

/** Warns about any eviction policy but "noeviction": every key of Lethe has a time to live and could be evicted. */
async function findEviction(client: Redis): Promise<string | undefined> {
  const memory = await client.info("memory").catch(() => "");
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1];
  const isBounded = !/^maxmemory:0\s/m.test(memory);
  if (!isBounded || policy === undefined || policy === "noeviction") return undefined;
  return `Redis evicts keys when its memory is full (maxmemory-policy ${policy}), and the owner of a session may then be forgotten, so that a caller has two sessions at a time: set noeviction`;
}
