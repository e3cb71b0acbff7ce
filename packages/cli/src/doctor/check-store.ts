// The Redis that replicas share: reachable, usable, its version, memory and clock, and whether running replicas have the same keys.
import type { RedisSettings } from "@lethe/gateway";
import { hideSecrets } from "@lethe/probe";
import type { InspectedRedis } from "@lethe/redis";
import { createKeyRing, type KeyRing } from "@lethe/server/stores";
import { toClock } from "./clock-finding.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

const leastVersion = [6, 2] as const;
/** The part of `maxmemory` above which Redis is almost full. */
const almostFull = 0.8;

export async function checkStore(settings: RedisSettings, keys: string | undefined): Promise<Finding[]> {
  const { inspectRedis } = await import("@lethe/redis");
  return toStoreFindings(hideSecrets(settings.url), await inspectRedis(settings, toRing(keys)));
}

function toRing(keys: string | undefined): KeyRing | undefined {
  try {
    return keys ? createKeyRing(keys) : undefined;
  } catch {
    // Reported with the keys.
    return undefined;
  }
}

/** `name` is the URL without secrets. */
export function toStoreFindings(name: string, redis: InspectedRedis): Finding[] {
  if (!redis.isReached) {
    const cause = hideSecrets(redis.problem ?? "no connection");
    const remedy = "start Redis, or correct gateway.redis.url or LETHE_REDIS_URL";
    return [problem("store", `${name} is not reachable`, { cause, remedy })];
  }
  const findings = [
    ...toUsability(name, redis),
    ...toMemory(redis),
    ...toClock("Redis", redis.clockAheadMs),
    ...toReplicas(redis),
  ];
  return findings;
}

function toUsability(name: string, { problem: unusable, warning: risk, version }: InspectedRedis): Finding[] {
  const remedy = "change the settings of Redis as the text says";
  if (unusable !== undefined) {
    return [problem("store", `${name} cannot be used`, { cause: hideSecrets(unusable), remedy })];
  }
  const [major = 0, minor = 0] = (version ?? "").split(".").map(Number);
  const isOld =
    version !== undefined && (major < leastVersion[0] || (major === leastVersion[0] && minor < leastVersion[1]));
  if (isOld) {
    const cause = "scripts need commands of 6.2";
    return [problem("store", `${name} has version ${version}`, { cause, remedy: "upgrade to Redis 6.2 or Valkey" })];
  }
  const found = ok("store", `${name} is reachable${version === undefined ? "" : `, version ${version}`}`);
  if (risk === undefined) return [found];
  return [
    found,
    warning("store", risk, { cause: "evicted keys are lost sessions and tasks", remedy: "set noeviction" }),
  ];
}

function toMemory({ usedBytes, maxBytes }: InspectedRedis): Finding[] {
  if (usedBytes === undefined) return [];
  if (maxBytes === undefined) {
    return [
      warning("store", `Redis uses ${toMebibytes(usedBytes)} and has no maxmemory`, {
        cause: "it may grow until the machine has no memory left and ends it",
        remedy: "set maxmemory below the memory of its machine, with maxmemory-policy noeviction",
      }),
    ];
  }
  const text = `Redis uses ${toMebibytes(usedBytes)} of ${toMebibytes(maxBytes)}`;
  if (usedBytes <= almostFull * maxBytes) return [ok("store", text)];
  return [warning("store", text, { cause: "a full Redis rejects new sessions and tasks", remedy: "raise maxmemory" })];
}

function toReplicas({ replicas, replicasWithOtherKeys }: InspectedRedis): Finding[] {
  if (replicas === undefined || replicas === 0) return [];
  const text = `${replicas} ${replicas === 1 ? "gateway shares" : "gateways share"} this Redis now`;
  if (!replicasWithOtherKeys) return [ok("keys", `${text}, with the same keys`)];
  return [
    problem("keys", `${text}, ${replicasWithOtherKeys} of them with other keys`, {
      cause: "they cannot open what a gateway with these keys seals, so retries and sessions fail there",
      remedy: "give all of them the same LETHE_KEYS, in the same order, or another gateway.redis.prefix",
    }),
  ];
}

function toMebibytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MiB`;
}
