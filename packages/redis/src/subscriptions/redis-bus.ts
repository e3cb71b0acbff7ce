// A bus over Redis (E-13). Its changes are encrypted and published by @lethe/server.

import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { createSealedBus } from "@lethe/server/forwarding";
import { knownSharedKeys, ringOf, type SharedKeys } from "@lethe/server/sealing";
import type { Bus } from "@lethe/server/stores";
import type { RedisConnection } from "../connection/redis-connection.ts";

/** Options of `createRedisBus`. */
export interface RedisBusOptions extends SharedKeys {
  /** Size of one change as JSON, in bytes. A larger change reaches its own process only. Default 4 MiB. */
  maxBytes?: number;
  /** Changes being published at a time. Further changes reach their own process only. Default 10,000. */
  maxSending?: number;
  /** Called once, at the first change that did not reach every process. Default: console.warn. */
  onWarning?: (warning: string) => void;
}

const knownRedisBusOptions: KnownOptions<RedisBusOptions> = {
  ...knownSharedKeys,
  maxBytes: true,
  maxSending: true,
  onWarning: true,
};

/**
 * Creates a bus over Redis for the option `subscriptions.bus`. Listeners of the same process are called before `publish` returns;
 * while Redis is away, only they are called. After a reconnect all listeners get a change of every list. Resolves
 * when changes can arrive. Rejects without keys.
 *
 * @example
 * import { connectRedis, createRedisBus } from "@lethe/redis";
 *
 * const redis = await connectRedis({ url: "redis://127.0.0.1:6379", prefix: "tracker:" });
 * const bus = await createRedisBus(redis, { keys: `k1:${"A".repeat(43)}` });
 * bus.subscribe((change) => console.log(change));
 * bus.publish({ kind: "tools" });
 * redis.close();
 */
export async function createRedisBus(redis: RedisConnection, options: RedisBusOptions = {}): Promise<Bus> {
  checkOptions("createRedisBus", options, knownRedisBusOptions);
  const { maxBytes = 4 * 1024 * 1024, maxSending = 10_000, onWarning = console.warn } = options;
  return createSealedBus(redis, { ring: ringOf(options, "changes"), maxBytes, maxSending, onWarning });
}
