// What an operator should know about a Redis before replicas share it: version, memory, clock, and the keys of running replicas.

import { checkOptions } from "@lethe/protocol";
import { createKeyFingerprints } from "@lethe/server/forwarding";
import type { KeyRing } from "@lethe/server/stores";
import { type CheckedRedis, checkRedis } from "./check-redis.ts";
import { connectRedis, type RedisConnection } from "./connection/redis-connection.ts";
import type { RedisLink } from "./connection/redis-link.ts";
import { maxEntryChars, parseLeaseEntry } from "./replicas/lease-entry.ts";
import { knownRedisShareSettings, type RedisShareSettings, serverOf } from "./share-by-redis.ts";

/** The result of `inspectRedis`. Members are absent if Redis does not tell. */
export interface InspectedRedis extends CheckedRedis {
  readonly version?: string;
  readonly usedBytes?: number;
  /** Absent: Redis has no limit of its own. */
  readonly maxBytes?: number;
  /** How far the clock of Redis is ahead of the clock of this machine, in ms. */
  readonly clockAheadMs?: number;
  /** Gateways that share this Redis now. */
  readonly replicas?: number;
  /** Those of them that have other keys, so that they cannot read what a gateway with these keys seals. */
  readonly replicasWithOtherKeys?: number;
}

/** More replicas are not compared. */
const maxReplicas = 100;
const maxScans = 100;

/**
 * Checks Redis like `checkRedis`, and reads what a running gateway shows only later. With `keys`, compares them with those of the running
 * gateways. Never rejects.
 *
 * @example
 * import { inspectRedis } from "@lethe/redis";
 *
 * const { isReached, replicas } = await inspectRedis({ url: "redis://127.0.0.1:6379" });
 * console.log(isReached, replicas); // true 0
 */
export async function inspectRedis(settings: RedisShareSettings, keys?: KeyRing): Promise<InspectedRedis> {
  checkOptions("inspectRedis", settings, knownRedisShareSettings);
  const checked = await checkRedis(settings);
  if (!checked.isReached) return checked;
  let connection: RedisConnection | undefined;
  try {
    connection = await connectRedis(serverOf(settings));
    const home = connection.home ?? connection;
    const [info, clockAheadMs, others] = await Promise.all([
      readInfo(home),
      measureClock(home),
      compareKeys(home, keys),
    ]);
    return { ...checked, ...info, clockAheadMs, ...others };
  } catch {
    // An account may lack a command that only the inspection needs.
    return checked;
  } finally {
    connection?.close();
  }
}

async function readInfo({ client }: RedisLink): Promise<Partial<InspectedRedis>> {
  const text = `${await client.call("INFO", "server")}\n${await client.call("INFO", "memory")}`;
  const read = (name: string) => new RegExp(`^${name}:(.*)$`, "m").exec(text)?.[1]?.trim();
  const version = read("valkey_version") ?? read("redis_version");
  const [usedBytes, maxBytes] = [Number(read("used_memory")), Number(read("maxmemory"))];
  return {
    ...(version !== undefined && { version }),
    ...(usedBytes > 0 && { usedBytes }),
    ...(maxBytes > 0 && { maxBytes }),
  };
}

/** The clock of Redis, compared with the middle of the request. */
async function measureClock({ client }: RedisLink): Promise<number> {
  const sentAt = Date.now();
  const [seconds, microseconds] = (await client.call("TIME")) as [string, string];
  const middle = (sentAt + Date.now()) / 2;
  return Math.round(Number(seconds) * 1_000 + Number(microseconds) / 1_000 - middle);
}

async function compareKeys(connection: RedisLink, keys: KeyRing | undefined): Promise<Partial<InspectedRedis>> {
  const entries = await readLeases(connection);
  if (!keys) return { replicas: entries.length };
  const { fit } = await createKeyFingerprints(keys);
  const strangers = entries.filter((entry) => !fit(parseLeaseEntry(entry).fingerprints));
  return { replicas: entries.length, replicasWithOtherKeys: strangers.length };
}

async function readLeases({ client, nameOf }: RedisLink): Promise<string[]> {
  const found = new Set<string>();
  let cursor = "0";
  for (let scans = 0; scans < maxScans && found.size < maxReplicas; scans += 1) {
    const reply = await client.call("SCAN", cursor, "MATCH", nameOf("lease:*"), "COUNT", 1_000);
    const [next, names] = reply as [string, string[]];
    for (const name of names) found.add(name);
    cursor = next;
    if (cursor === "0") break;
  }
  const entries = await Promise.all([...found].map((name) => client.call("GETRANGE", name, 0, maxEntryChars)));
  return entries.map(String).filter((entry) => entry !== "");
}
