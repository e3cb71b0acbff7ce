// What the keys of a deployment take in Redis.

import type { MeasuredRedis } from "./measured-redis.ts";
import { bytesPerKey } from "./redis-cost.ts";

export interface Stored {
  readonly keys: number;
  /** Names and values. */
  readonly bytes: number;
  /** With the estimated overhead of each key. */
  readonly estimatedBytes: number;
}

export interface StoredByKind {
  readonly sessions: Stored;
  readonly others: Stored;
}

export function storedBytes(redis: MeasuredRedis): StoredByKind {
  const sums = { sessions: { keys: 0, bytes: 0 }, others: { keys: 0, bytes: 0 } };
  for (const key of redis.execute(["KEYS", "*"]) as string[]) {
    const sum = key.startsWith("lethe:claim:") ? sums.sessions : sums.others;
    sum.keys += 1;
    sum.bytes += key.length + valueBytes(redis, key);
  }
  const withEstimate = ({ keys, bytes }: { keys: number; bytes: number }): Stored => {
    return { keys, bytes, estimatedBytes: bytes + keys * bytesPerKey };
  };
  return { sessions: withEstimate(sums.sessions), others: withEstimate(sums.others) };
}

/** The directory has texts, and one set of replicas. */
function valueBytes(redis: MeasuredRedis, key: string): number {
  const { ok: type } = redis.execute(["TYPE", key]) as { ok: string };
  if (type === "string") return redis.execute(["STRLEN", key]) as number;
  return (redis.execute(["SMEMBERS", key]) as string[]).reduce((sum, member) => sum + member.length, 0);
}
