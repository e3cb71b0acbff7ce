// A connection to Redis or Valkey: one TCP connection for commands and one for channels. Both reconnect automatically.

import { once } from "node:events";
import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { startHeartbeat } from "@lethe/server/forwarding";
import type { Redis } from "ioredis";
import { Channels } from "./channels.ts";
import { type ClientCertificate, findCertificateProblem, knownClientCertificate } from "./client-certificate.ts";
import { ClusterConnection } from "./cluster-connection.ts";
import { explainFailure } from "./connect-advice.ts";
import { findFailure, isAlert, isCertificateRequired } from "./connect-failure.ts";
import { ConnectionState } from "./connection-state.ts";
import { driverOptions, openDriver } from "./open-driver.ts";
import { reconnectEnded } from "./reconnect-ended.ts";
import { parseRedisInfo, type RedisInfo } from "./redis-info.ts";
import type { RedisLink } from "./redis-link.ts";
import { evictionProblem } from "./redis-problem.ts";
import { addressIn, type ClusterTarget, hasTls, nodesOf, parseRedisUrl, type RedisTarget } from "./redis-target.ts";
import { findSchemeProblem } from "./scheme-problem.ts";

/** Options of `connectRedis`. */
export interface RedisOptions {
  /**
   * One server: `redis://user:password@host:6379/0`. The primary that Sentinels name:
   * `redis+sentinel://user:password@host1:26379,host2:26379/NAME/0`, with `?sentinelUser=` and `sentinelPassword=` where the Sentinels
   * have an account. A Cluster of Redis 7 or Valkey 8: `redis+cluster://user:password@host1:6379,host2:6379`. With TLS: `rediss` instead
   * of `redis`.
   */
  url: string;
  /** Prefix of every key and channel. Default "lethe:". */
  prefix?: string;
  /**
   * The certificate of this client and its key: PEM files, which are read for each connection. Default: none, as for a Redis whose
   * `tls-auth-clients` is "no" or "optional".
   */
  clientCertificate?: ClientCertificate | undefined;
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
  clientCertificate: knownClientCertificate,
  timeoutMs: true,
  onLost: true,
  onBack: true,
  onProblem: true,
  allowEviction: true,
};

/** A connection to Redis that reconnects by itself. Created by `connectRedis`. */
export interface RedisConnection extends RedisLink {
  /**
   * The ioredis client. Commands reject at once while there is no connection. For a Cluster it is the cluster client, which has the same
   * commands and no `stream`.
   */
  readonly client: Redis;
  /** The address of this machine in the connection to Redis. */
  readonly localAddress: string | undefined;
  close(): void;
}

/**
 * Redis answers, but must not be used: the URL and the server disagree about being a Cluster, or it may evict data and the caller does not
 * allow that. `reason` says which. `connectRedis` rejects with it.
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

/** A connection to Redis failed. The message names the address, without its user and password, and the problem. */
export class RedisConnectError extends Error {
  readonly problem: string;

  constructor(url: string, problem: string, cause?: Error) {
    super(`Redis at ${addressIn(url)} cannot be used: ${problem}`, { cause });
    this.problem = problem;
  }
}

/** A connection to a read-only stand-by is replaced at most this often, in ms. */
const followEveryMs = 5_000;

/**
 * Connects to Redis 6.2 or later, or Valkey. Rejects with an Error when Redis is unreachable, rejects the credentials or is a Cluster that
 * its URL does not call one. Later losses are reported to `onLost`: commands fail at once, and the connection is restored with exponential
 * backoff.
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
  const { url, prefix = "lethe:", clientCertificate, timeoutMs = 5_000 } = options;
  const state = new ConnectionState(options);
  const target = parseRedisUrl(url, clientCertificate);
  const problem = clientCertificate && findCertificateProblem(clientCertificate, hasTls(target));
  if (problem !== undefined) throw new RedisConnectError(url, problem);
  if (target.kind === "cluster") return connectCluster(target, options);
  const client = openDriver(target, {
    ...driverOptions(timeoutMs),
    connectionName: "lethe",
    reconnectOnError: followPrimary(state),
  });
  const subscriber = openDriver(target, {
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
    await requireUsable([client], options);
    channels.start();
  } catch (error) {
    for (const connection of both) connection.disconnect();
    if (error instanceof UnusableRedisError || error instanceof RedisConnectError) throw error;
    throw await toConnectError(options, error as Error);
  }
  state.watch(both);
  if (target.kind === "sentinel") for (const connection of both) reconnectEnded(connection, () => state.isClosed);
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
    home: undefined,
    get isUp() {
      return state.isUp;
    },
    nameOf,
    publish: (channel, text) => client.publish(nameOf(channel), text),
    subscribe: (channel, listener) => channels.subscribe(nameOf(channel), listener),
    onResubscribed: (listener) => channels.onResubscribed(listener),
    async subscribersOf(names) {
      if (names.length === 0) return [];
      const reply = (await client.call("PUBSUB", "NUMSUB", ...names.map(nameOf))) as (string | number)[];
      return names.map((_, index) => Number(reply[2 * index + 1]));
    },
    get localAddress() {
      return (client.stream as { localAddress?: string } | undefined)?.localAddress;
    },
    close() {
      state.close();
      heartbeat.close();
      channels.close();
      for (const connection of both) connection.disconnect();
    },
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

async function connectCluster(target: ClusterTarget, options: RedisOptions): Promise<RedisConnection> {
  const { prefix = "lethe:", timeoutMs = 5_000, onLost, onBack } = options;
  const cluster = new ClusterConnection(target, { prefix, timeoutMs, onLost, onBack });
  try {
    await cluster.start();
    await requireUsable(cluster.client.nodes("master"), options);
  } catch (error) {
    cluster.close();
    if (error instanceof UnusableRedisError || error instanceof RedisConnectError) throw error;
    throw await toConnectError(options, error as Error);
  }
  return cluster as unknown as RedisConnection;
}

async function toConnectError(
  { url, prefix = "lethe:", clientCertificate: certificate, timeoutMs = 5_000 }: RedisOptions,
  thrown: Error,
): Promise<Error> {
  const target = parseRedisUrl(url);
  const ofScheme = await findSchemeProblem(target, { thrown, timeoutMs });
  if (ofScheme !== undefined) return new RedisConnectError(url, ofScheme, thrown);
  const failure = isUnexplained(target, thrown)
    ? await findFailure(nodesOf(target), { isTls: hasTls(target), timeoutMs, certificate })
    : undefined;
  const cause = failure ?? thrown;
  if (isCertificateRequired(cause)) return new RedisConnectError(url, certificateRequired, cause);
  if (certificate && isAlert(cause)) return new RedisConnectError(url, certificateRefused, cause);
  return new RedisConnectError(url, explainFailure(cause, { target, prefix }), cause);
}

const certificateRequired =
  'it requires a certificate of its clients; set clientCertificate, or set "tls-auth-clients no" in Redis, and give Lethe a user and password';
const certificateRefused =
  "it refuses the client certificate; check that tls-ca-cert-file of Redis has its authority, and that it has not expired";

/** Whether the driver does not say how a connection failed. */
function isUnexplained(target: RedisTarget, { code = "", message }: NodeJS.ErrnoException): boolean {
  if (target.kind === "single") return code === "ECONNRESET" || code === "EPIPE";
  return target.isTls || message.endsWith("Connection is closed.");
}

/** Rejects with the first error: `connect` alone only says that the connection is closed. */
async function start(connection: Redis): Promise<void> {
  connection.connect().catch(() => {});
  await once(connection, "ready");
}

/** Rejects for a Redis Cluster or a Sentinel that the URL does not call one, and for one without sharded publish and subscribe. */
async function requireUsable(nodes: readonly Redis[], options: RedisOptions): Promise<void> {
  const { url, onProblem, allowEviction = true } = options;
  const found = (await Promise.all(nodes.map(readInfo))).filter((info) => info !== undefined);
  const [first] = found;
  if (first?.isSentinel) {
    const form = url.startsWith("rediss") ? "rediss+sentinel" : "redis+sentinel";
    throw new RedisConnectError(url, `it is a Sentinel; write its URL as ${form}://host:port[,host:port]/PRIMARY`);
  }
  const isNamedCluster = parseRedisUrl(url).kind === "cluster";
  if (first?.isCluster && !isNamedCluster) {
    const form = url.startsWith("rediss") ? "rediss+cluster" : "redis+cluster";
    throw new UnusableRedisError(
      "cluster",
      `this is a Redis Cluster: write its URL as ${form}://host:port[,host:port]`,
    );
  }
  if (first && isNamedCluster && (!first.isCluster || !first.hasShardedChannels)) {
    const what = first.isCluster
      ? "it is older than Redis 7, which sharded publish and subscribe need"
      : "it is no Cluster";
    throw new UnusableRedisError("cluster", `its URL names a Redis Cluster, and ${what}`);
  }
  const policy = found.find(({ evictionPolicy }) => evictionPolicy !== undefined)?.evictionPolicy;
  if (policy === undefined) return;
  const { text } = evictionProblem(policy);
  if (!allowEviction) throw new UnusableRedisError("evicting", text);
  onProblem?.(text);
}

/** Undefined if the account may not read it. */
async function readInfo(client: Redis): Promise<RedisInfo | undefined> {
  const sections = Promise.all([client.info("server"), client.info("memory")]);
  return sections.then(
    (texts) => parseRedisInfo(texts.join("\n")),
    () => undefined,
  );
}
