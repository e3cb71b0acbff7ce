// Counts the requests of each caller for all processes together, in Redis.

import { createHash } from "node:crypto";
import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { withDeadline } from "@lethe/server/forwarding";
import { createSharedRateCounter, type RateCounter, type RateStore } from "@lethe/server/stores";
import type { RedisConnection } from "../connection/redis-connection.ts";
import { createScript } from "../script/create-script.ts";

/** Options of `createRedisRateCounter`. */
export interface RedisRateCounterOptions {
  /** The name of the limit; limits that share a Redis need different names. Default "requests". */
  name?: string;
  /**
   * Whether a process reserves requests of a busy caller in advance, at most an eighth of the limit, and so sends a fraction of a command per
   * request. False sends one command per request. Default true.
   */
  prefetch?: boolean;
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
  prefetch: true,
  patienceMs: true,
  pauseMs: true,
  maxCallers: true,
  onWarning: true,
};

/**
 * KEYS: the caller. ARGV: `max` and `windowMs` of the rate, `needed`, `ahead` and `share` of the units. A leaky bucket: each unit costs
 * a time. The key's time to live is the total cost that remains, rounded up; its value is the fraction of a ms by which that is too
 * much. Redis counts whole ms, so a unit is granted up to 1 ms early.
 */
const reserve = `
local key, window, needed, ahead = KEYS[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local cost = window / ARGV[1]
local unpaid = redis.call("PTTL", key)
unpaid = unpaid > 0 and math.max(0, unpaid - redis.call("GET", key)) or 0
local units = math.max(0, math.ceil((window + 1 - unpaid) / cost) - 1)
local now = math.min(needed, units)
local granted = now + math.min(ahead, math.floor((units - now) * ARGV[5]))
if granted > 0 then
  unpaid = unpaid + granted * cost
  local ms = math.ceil(unpaid)
  redis.call("SET", key, string.format("%.3f", ms - unpaid), "PX", ms)
end
local wait = unpaid + cost - window
return {granted, tostring(unpaid), wait >= 1 and math.ceil(wait) or 0}`;

/** Also a store that answers may not count, for want of connections or memory. */
const alone = ({ message }: Error): string =>
  `Redis does not count requests (${message}): each process counts alone until it does`;

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
  const { name = "requests", patienceMs = 1_000, onWarning = console.warn } = options;
  return createSharedRateCounter(createRedisRateStore(redis, { name, patienceMs }), {
    prefetch: options.prefetch,
    pauseMs: options.pauseMs,
    maxCallers: options.maxCallers,
    onAlone: (error) => onWarning(alone(error as Error)),
  });
}

export function createRedisRateStore(
  redis: RedisConnection,
  { name, patienceMs }: { readonly name: string; readonly patienceMs: number },
): RateStore {
  const run = createScript(redis, reserve);

  function keyOf(callerId: string | undefined): string {
    if (callerId === undefined) return redis.nameOf(`rate:${name}`);
    return redis.nameOf(`rate:${name}:${createHash("sha256").update(callerId).digest("base64url")}`);
  }

  return {
    async reserve(callerId, { max, windowMs }, { needed, ahead, share }) {
      const reply = run([keyOf(callerId)], [max, windowMs, needed, ahead, share]);
      const [granted, fullInMs, waitMs] = (await withDeadline(patienceMs, reply)) as [number, string, number];
      return { granted, fullInMs: Number(fullInMs), waitMs };
    },
  };
}
