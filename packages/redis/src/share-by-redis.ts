// What the replicas of a gateway share, in Redis: the means that `serveGateway` asks for when `gateway.redis` is configured.
import type { SharedState, ShareParts } from "@lethe/gateway";
import { connectRedis } from "./connection/redis-connection.ts";
import { shareSessions } from "./legacy/share-sessions.ts";
import { createRedisRateCounter } from "./limits/redis-rate-counter.ts";
import { createRedisDirectory } from "./replicas/redis-directory.ts";
import { createRedisSingleUseStore } from "./seal/redis-single-use-store.ts";

/** Rejects with an Error that says why when Redis is out of reach. */
export async function shareByRedis(parts: ShareParts): Promise<SharedState> {
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
    throw new Error(`gateway.redis: Redis refuses what replicas need: ${error.message}`, { cause: error });
  });
  return {
    directory,
    rates: createRedisRateCounter(connection, { onWarning }),
    legacy,
    singleUse,
    get status() {
      const { claims, sent, received } = directory;
      return { isReached: connection.isUp, claims, sent, received };
    },
    leave: directory.leave,
    async close() {
      await directory.close();
      connection.close();
    },
  };
}
