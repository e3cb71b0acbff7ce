// How often each caller has asked of late, counted once for all processes. While Redis does not answer, each process counts for
// itself: nobody is refused for that, and nobody is without a limit.
import { createHash } from "node:crypto";
import { createMemoryRateCounter, type Rate, type RateCounter } from "@lethe/server/stores";
import type { RedisConnection } from "../connection/redis-connection.ts";
import { within } from "../connection/within.ts";
import { createScript } from "../script/create-script.ts";

export interface RedisRateCounterOptions {
  /** One for each limit that shares a Redis. Default "requests". */
  name?: string;
  /** How long a request waits for Redis at the most. Default 1,000 ms. */
  patienceMs?: number;
  /** How long this process then counts for itself before it asks again. Default 5,000 ms. */
  pauseMs?: number;
  /** Of whom this process keeps count meanwhile. Default 10,000. */
  maxCallers?: number;
  /** Told once whenever this process begins to count for itself. Default: console.warn. */
  onWarning?: (warning: string) => void;
}

/**
 * KEYS: the caller. ARGV: how many requests, and in how many ms. Each request has to be paid for with a time, and what is kept is
 * how long that will take: the key lives as long, and its value is the part of a ms by which that is too much.
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

const away = "Redis does not answer: each process counts requests for itself until it does";

export function createRedisRateCounter(redis: RedisConnection, options: RedisRateCounterOptions = {}): RateCounter {
  const { name = "requests", patienceMs = 1_000, pauseMs = 5_000, onWarning = console.warn } = options;
  const here = createMemoryRateCounter(options);
  const takeThere = createScript(redis, take);
  let hereUntil = 0;
  let isAway = false;

  async function ask(callerId: string | undefined, rate: Rate): Promise<number> {
    try {
      const waitMs = await within(patienceMs, takeThere([keyOf(callerId)], [rate.max, rate.windowMs]));
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
