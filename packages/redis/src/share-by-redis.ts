// The shared state of gateway replicas in Redis, for the `share` option of `serveGateway`.

import { checkOptions, type KnownOptions, pickOptions } from "@lethe/protocol";
import { requireSameKeys } from "@lethe/server/forwarding";
import {
  findAddressProblem,
  findDirectProblems,
  type HostAndPort,
  parseHostAndPort,
  type RateCounter,
  type SingleUseStore,
} from "@lethe/server/stores";
import { knownClientCertificate } from "./connection/client-certificate.ts";
import {
  connectRedis,
  type RedisConnection,
  type RedisOptions,
  UnusableRedisError,
} from "./connection/redis-connection.ts";
import { RedisHealth } from "./connection/redis-health.ts";
import { problemOf, type RedisProblem } from "./connection/redis-problem.ts";
import { type SharedSessions, shareSessions } from "./legacy/share-sessions.ts";
import { createRedisRateCounter } from "./limits/redis-rate-counter.ts";
import type { DirectSettings } from "./links/direct-links.ts";
import { ListenError } from "./links/link-listener.ts";
import { connectPeers } from "./peers/connect-peers.ts";
import { peerHeader, peerPath } from "./peers/peer-transport.ts";
import { createRedisRecords, type RedisRecords } from "./records/redis-records.ts";
import { knownRedisDirectoryOptions, type RedisDirectoryOptions } from "./replicas/directory-options.ts";
import { createRedisDirectory, type RedisDirectory } from "./replicas/redis-directory.ts";
import { toTimings } from "./replicas/timings.ts";
import { createRedisSingleUseStore } from "./seal/redis-single-use-store.ts";

/** Options of `shareByRedis`. */
export interface RedisShareOptions
  extends Pick<RedisDirectoryOptions, "ring" | "dispatchAt" | "onProblem" | "onReplica" | "onLink" | "lookupMs"> {
  /** The Redis server and how this replica is reached. */
  readonly settings: RedisShareSettings;
  /** Where this replica listens, unless the port is unknown yet. Other replicas ask it there while Redis is away. */
  readonly listens?: { readonly host: string; readonly port: number } | undefined;
  /** Called once when Redis becomes unreachable or stops answering, with the reason. */
  onLost(reason: string): void;
  /** Called when Redis answers again. */
  onBack(): void;
  /** Called once when Redis becomes unusable in another way, or loses data. Default: no report. */
  onTrouble?(problem: RedisProblem): void;
  /** Called when such a problem has ended. Not called for lost data. Default: no report. */
  onSolved?(reason: RedisProblem["reason"]): void;
}

/** The Redis server that replicas share, and how they reach each other. */
export interface RedisShareSettings extends Pick<RedisOptions, "url" | "prefix" | "clientCertificate"> {
  /** Whether to start with a Redis that may evict data. Default false. */
  readonly allowEviction?: boolean;
  /** "host:port" at which other replicas reach this one. Default: where it listens, by the local address of its Redis connection. */
  readonly address?: string;
  /**
   * Where this replica accepts direct connections of others, which then carry what replicas forward to each other. `listen` and `address` are
   * "host:port". With port 0 the system chooses one. `address` is where others connect, by default the place where it listens, by the local
   * address of its Redis connection. Default: Redis carries it.
   */
  readonly direct?: { readonly listen: string; readonly address?: string };
  /** How long a replica that stands still or is cut off from Redis keeps its sessions, in ms. Default 2,500. */
  readonly leaseMs?: number;
  /** Timeout of one command, in ms. Default 5,000. */
  readonly commandTimeoutMs?: number;
}

export const knownRedisShareSettings: KnownOptions<RedisShareSettings> = {
  allowEviction: true,
  address: true,
  direct: { listen: "a string", address: true },
  leaseMs: true,
  commandTimeoutMs: true,
  url: "a string",
  prefix: true,
  clientCertificate: knownClientCertificate,
};

const knownRedisShareOptions: KnownOptions<RedisShareOptions> = {
  settings: knownRedisShareSettings,
  listens: true,
  onLost: "a function",
  onBack: "a function",
  onTrouble: true,
  onSolved: true,
  ring: "an object",
  dispatchAt: "a function",
  onProblem: "a function",
  onReplica: true,
  onLink: true,
  lookupMs: true,
};

/** The state that the replicas of a gateway share. `serveGateway` of `lethe/gateway` accepts it as its `SharedState`. */
export interface RedisShare extends Pick<RedisDirectory, "leave" | "close"> {
  readonly directory: RedisDirectory;
  readonly rates: RateCounter;
  readonly legacy: SharedSessions;
  readonly singleUse: SingleUseStore;
  /** Records of the tasks that gateways make of long calls. */
  readonly taskRecords: RedisRecords;
  readonly status: RedisShareStatus;
  /** The ids of the other replicas that are alive. */
  others(): readonly string[];
  /** How this replica answers the questions of others: at this path, with the question in this header of a POST request. */
  readonly peers: {
    readonly path: string;
    readonly header: string;
    /** Returns undefined for a text that is no question of another replica to this one. */
    answer(question: string): string | undefined;
  };
}

/** Whether this replica reaches Redis and the other replicas, and how much it shares. */
export interface RedisShareStatus
  extends Pick<
    RedisDirectory,
    "leases" | "sent" | "received" | "messages" | "links" | "replicas" | "replicasLost" | "leaseAgeMs"
  > {
  /** False while Redis cannot be reached or does not answer. */
  readonly isReached: boolean;
  /** What is wrong with Redis. Losses of data stay in the list for a minute. */
  readonly problems: readonly RedisProblem[];
  /** Whether other replicas reach Redis and this one does not. */
  readonly isCutOff: boolean;
}

/**
 * Connects a gateway replica to Redis. Rejects with an Error that names the reason when Redis is unreachable, when the keys are
 * ephemeral, or when a setting is not a time or not an address.
 *
 * @example
 * import { shareByRedis } from "@lethe/redis";
 * import { createKeyRing } from "@lethe/server/stores";
 *
 * const shared = await shareByRedis({
 *   settings: { url: "redis://127.0.0.1:6379" },
 *   ring: createKeyRing(`k1:${"A".repeat(43)}`),
 *   dispatchAt: () => undefined,
 *   onLost: console.error,
 *   onBack: () => {},
 *   onProblem: console.error,
 * });
 * console.log(shared.status.isReached); // true
 * await shared.close();
 */
export async function shareByRedis(parts: RedisShareOptions): Promise<RedisShare> {
  checkOptions("shareByRedis", parts, knownRedisShareOptions);
  const { settings, ring: keys, onProblem } = parts;
  const onWarning = onProblem;
  // What no Redis could mend is refused before there is a connection.
  requireSameKeys(keys, "Redis");
  requireReachable(settings);
  const direct = toDirect(settings);
  const timings = settings.leaseMs === undefined ? {} : { leaseMs: settings.leaseMs };
  const { validMs: permitMs } = toTimings(timings);
  const health = new RedisHealth({
    ...{ url: settings.url, clientCertificate: settings.clientCertificate },
    ...{ onLost: parts.onLost, onBack: parts.onBack },
    onBegin: (problem) => parts.onTrouble?.(problem),
    onEnd: (reason) => parts.onSolved?.(reason),
  });
  const { connectionLost: onLost, connectionBack: onBack } = health;
  const connection = await connectShared(settings, { onLost, onBack, onProblem });
  const self = crypto.randomUUID();
  const peers = await connectPeers({ ...parts, self, connection, permitMs });
  const directoryOptions = pickOptions<RedisDirectoryOptions>(
    {
      connection,
      ...parts,
      ...timings,
      ...peers,
      self,
      direct,
      localHost: connection.localAddress,
    },
    knownRedisDirectoryOptions,
  );
  const [directory, legacy, singleUse, taskRecords] = await Promise.all([
    createRedisDirectory(directoryOptions),
    shareSessions(connection, { keys, onWarning }),
    createRedisSingleUseStore(connection, { keys }),
    createRedisRecords(connection, { keys, purpose: "gateway-task" }),
  ]).catch((error: Error) => {
    peers.close();
    connection.close();
    if (error instanceof ListenError) throw new Error(`gateway.redis.direct: ${error.message}`, { cause: error });
    throw new Error(`gateway.redis: ${problemOf(error).text}`, { cause: error });
  });
  health.watch(connection.home ?? connection);
  return {
    directory,
    rates: createRedisRateCounter(connection, { onWarning }),
    legacy,
    singleUse,
    taskRecords,
    get status() {
      const { leases, sent, received, messages, links, replicas, replicasLost, leaseAgeMs } = directory;
      const { isReached, problems } = health;
      const { isCutOff } = peers;
      const counts = { leases, sent, received, messages: { ...messages }, links, replicas, replicasLost, leaseAgeMs };
      return { isReached, problems, isCutOff, ...counts };
    },
    others: () => directory.others,
    peers: { path: peerPath, header: peerHeader, answer: (question) => peers.evidence.answer(question) },
    leave: (graceMs) => directory.leave(graceMs),
    async close() {
      await directory.close();
      peers.close();
      health.close();
      connection.close();
    },
  };
}

/** Throws an Error for an address at which other replicas cannot ask. */
function requireReachable({ address }: RedisShareSettings): void {
  const problem = address === undefined ? undefined : findAddressProblem(address, 1);
  if (problem !== undefined) throw new Error(`gateway.redis.address ${problem}`);
}

/** Throws an Error for addresses at which other replicas cannot connect. */
function toDirect({ direct }: RedisShareSettings): DirectSettings | undefined {
  if (!direct) return undefined;
  const { listen, address } = direct;
  for (const [key, text] of findDirectProblems(listen, address)) throw new Error(`gateway.redis.direct.${key} ${text}`);
  return { listen: parseHostAndPort(listen) as HostAndPort, address };
}

/** Which Redis, and how to connect to it. */
export function serverOf({ url, prefix, clientCertificate }: RedisShareSettings): RedisOptions {
  return { url, ...(prefix !== undefined && { prefix }), ...(clientCertificate && { clientCertificate }) };
}

async function connectShared(
  { allowEviction = false, commandTimeoutMs, ...server }: RedisShareSettings,
  callbacks: Pick<RedisOptions, "onLost" | "onBack" | "onProblem">,
): Promise<RedisConnection> {
  try {
    const timeout = commandTimeoutMs !== undefined && { timeoutMs: commandTimeoutMs };
    return await connectRedis({
      ...serverOf(server),
      ...timeout,
      ...callbacks,
      allowEviction,
    });
  } catch (error) {
    if (error instanceof UnusableRedisError) {
      const remedy = error.reason === "evicting" ? ", or gateway.redis.allowEviction" : "";
      throw new Error(`gateway.redis: ${error.message}${remedy}`, { cause: error });
    }
    throw new Error(`gateway.redis: ${(error as Error).message}`, { cause: error });
  }
}
