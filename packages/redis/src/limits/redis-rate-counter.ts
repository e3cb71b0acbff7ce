// Counts the requests of each caller for all processes together. While Redis does not answer, each process counts for itself: no
// request is rejected for that reason, and no caller is without a limit.

import { createHash } from "node:crypto";
import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { createMemoryRateCounter, type Rate, type RateCounter } from "@lethe/server/stores";
import type { RedisConnection } from "../connection/redis-connection.ts";
import { withDeadline } from "../connection/with-deadline.ts";
import { createScript } from "../script/create-script.ts";

/** Options of `createRedisRateCounter`. */
export interface RedisRateCounterOptions {
  /** The name of the limit; limits that share a Redis need different names. Default "requests". */
  name?: string;
  /** How long a request waits for Redis, in ms. Default 1,000. */
  patienceMs?: number;
  /** After a timeout, how long this process counts alone before it tries Redis again, in ms. Default 5,000. */
  pauseMs?: number;
  /** Callers that this process counts meanwhile. Default 10,000. */
  maxCallers?: number;
  /** Called each time this process starts to count alone. Default: console.warn. */
  onWarning?: (warning: string) => void;
}

const knownRedisRateCounterOptions: KnownOptions<RedisRateCounterOptions> = {
  name: true,
  patienceMs: true,
  pauseMs: true,
  maxCallers: true,
  onWarning: true,
};

/**
 * KEYS: the caller. ARGV: the number of requests, and the window in ms. A leaky bucket: each request costs a time. The key's time
 * to live is the total cost that remains, rounded up; its value is the fraction of a ms by which that is too much.
 */
const take = `
local key, window = KEYS[1], tonumber(ARGV[2])
local unpaid = redis.call("PTTL", key)
unpaid = unpaid > 0 and math.max(0, unpaid - redis.call("GET", key)) or 0
local owed = unpaid + window / ARGV[1]
local wait = owed - window
if wait >= 1 then return math.ceil(wait) end
local ms = math.ceil(owed)
redis.call("SET", key, string.format("%.3f", ms - owed), "PX", ms)
return 0`;

const away = "Redis does not answer: each process counts requests alone until it does";

/**
 * Creates the counter for the option `counter` of `rateLimit`, shared by all processes. It works as long as the connection.
 *
 * @example
 * import { connectRedis, createRedisRateCounter } from "@lethe/redis";
 *
 * const redis = await connectRedis({ url: "redis://127.0.0.1:6379", prefix: "tracker:" });
 * const counter = createRedisRateCounter(redis, { name: "calls" });
 * console.log(await counter.take("ann", { max: 600, windowMs: 60_000 })); // 0
 * redis.close();
 */
export function createRedisRateCounter(redis: RedisConnection, options: RedisRateCounterOptions = {}): RateCounter {
  checkOptions("createRedisRateCounter", options, knownRedisRateCounterOptions);
  const { name = "requests", patienceMs = 1_000, pauseMs = 5_000, onWarning = console.warn } = options;
  const { maxCallers } = options;
  const here = createMemoryRateCounter({ ...(maxCallers !== undefined && { maxCallers }) });
  const takeThere = createScript(redis, take);
  let hereUntil = 0;
  let isAway = false;

  async function ask(callerId: string | undefined, rate: Rate): Promise<number> {
    try {
      const waitMs = await withDeadline(patienceMs, takeThere([keyOf(callerId)], [rate.max, rate.windowMs]));
      isAway = false;
      return Number(waitMs);
    } catch {
      hereUntil = performance.now() + pauseMs;
      if (!isAway) onWarning(away);
      isAway = true;
      return here.take(callerId, rate);
    }
  }

  function keyOf(callerId: string | undefined): string {
    if (callerId === undefined) return redis.nameOf(`rate:${name}`);
    return redis.nameOf(`rate:${name}:${createHash("sha256").update(callerId).digest("base64url")}`);
  }

  return {
    take: (callerId, rate) => (performance.now() < hereUntil ? here.take(callerId, rate) : ask(callerId, rate)),
  };
}
