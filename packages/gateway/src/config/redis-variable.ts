// Reads LETHE_REDIS_URL: the store that replicas share, if no file names it.
import { isRedisUrl, passwordsIn } from "./schema/operation.ts";
import type { RedisSettings } from "./schema/settings.ts";
import type { Environment } from "./variables.ts";

/** Throws an Error that describes the problem. */
export function redisIn(environment: Environment, onSecret: (value: string) => void): RedisSettings | undefined {
  const url = environment.LETHE_REDIS_URL;
  if (!url) return undefined;
  for (const password of passwordsIn(url)) onSecret(password);
  if (!isRedisUrl(url))
    throw new Error(`LETHE_REDIS_URL must be a redis, rediss, redis+sentinel or redis+cluster URL, got "${url}"`);
  return { url };
}
