// What the replicas of a gateway share, in Redis: the means that `serveGateway` asks for when `gateway.redis` is configured.
import { createLocalDirectory, type SharedState, type ShareParts } from "@lethe/gateway";
import { connectRedis } from "./connection/redis-connection.ts";

/** Rejects with an Error that says why when Redis is out of reach. */
export async function shareByRedis({ settings, onLost, onBack }: ShareParts): Promise<SharedState> {
  const connection = await connectRedis({ ...settings, onLost, onBack }).catch((error: Error) => {
    throw new Error(`gateway.redis: Redis cannot be reached: ${error.message}`, { cause: error });
  });
  const directory = createLocalDirectory();
  return {
    directory,
    get status() {
      return { isReached: connection.isUp, claims: 0, sent: 0, received: 0 };
    },
    async close() {
      connection.close();
    },
  };
}
