// Which sealed tokens were spent (E-28), for all processes that open them.
import { overloaded } from "@lethe/protocol";
import type { SpentTokens } from "@lethe/server";
import type { RedisConnection } from "../connection/redis-connection.ts";

const retryAfterMs = 1_000;

/** While Redis is away no token can be spent: it is not known which were. */
export function createRedisSpentTokens(redis: RedisConnection): SpentTokens {
  return {
    async spend(id, expiresAt) {
      const key = redis.nameOf(`spent:${id}`);
      try {
        return (await redis.client.set(key, "", "PXAT", Math.ceil(expiresAt), "NX")) === "OK";
      } catch {
        throw overloaded("it cannot be known now whether this was used before", retryAfterMs);
      }
    },
  };
}
