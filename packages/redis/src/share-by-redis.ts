// The shared state of gateway replicas in Redis, for the `share` option of `serveGateway`.
import type { RateCounter, SingleUseStore } from "@lethe/server/stores";
import { connectRedis, type RedisOptions } from "./connection/redis-connection.ts";
import { type SharedSessions, shareSessions } from "./legacy/share-sessions.ts";
import { createRedisRateCounter } from "./limits/redis-rate-counter.ts";
import { createRedisDirectory, type RedisDirectory, type RedisDirectoryOptions } from "./replicas/redis-directory.ts";
import { createRedisSingleUseStore } from "./seal/redis-single-use-store.ts";

export interface RedisShareOptions extends Pick<RedisDirectoryOptions, "ring" | "dispatchAt" | "onProblem"> {
  /** The server and the prefix of all keys and channels. */
  readonly settings: Pick<RedisOptions, "url" | "prefix">;
  /** Called once per loss of the connection, with the reason. */
  onLost(reason: string): void;
  /** Called when the connection works again. */
  onBack(): void;
}

/** The state that the replicas of a gateway share. `serveGateway` of @lethe/gateway accepts it as its `SharedState`. */
export interface RedisShare extends Pick<RedisDirectory, "leave" | "close"> {
  readonly directory: RedisDirectory;
  readonly rates: RateCounter;
  readonly legacy: SharedSessions;
  readonly singleUse: SingleUseStore;
  readonly status: RedisShareStatus;
}

export interface RedisShareStatus extends Pick<RedisDirectory, "leases" | "sent" | "received"> {
  /** False while Redis cannot be reached. */
  readonly isReached: boolean;
}

/**
 * Connects a gateway replica to Redis. Rejects with an Error that names the reason when Redis is unreachable.
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
  const { settings, ring: keys, onLost, onBack, onProblem } = parts;
  const onWarning = onProblem;
  const connection = await connectRedis({ ...settings, onLost, onBack, onProblem }).catch((error: Error) => {
    throw new Error(`gateway.redis: Redis cannot be reached: ${error.message}`, { cause: error });
  });
  const [directory, legacy, singleUse] = await Promise.all([
    createRedisDirectory({ connection, ...parts }),
    shareSessions(connection, { keys, onWarning }),
    createRedisSingleUseStore(connection, { keys }),
  ]).catch((error: Error) => {
    connection.close();
    throw new Error(`gateway.redis: Redis rejected a command that replicas need: ${error.message}`, { cause: error });
  });
  return {
    directory,
    rates: createRedisRateCounter(connection, { onWarning }),
    legacy,
    singleUse,
    get status() {
      const { leases, sent, received } = directory;
      return { isReached: connection.isUp, leases, sent, received };
    },
    leave: directory.leave,
    async close() {
      await directory.close();
      connection.close();
    },
  };
}
