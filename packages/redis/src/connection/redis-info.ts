// What Redis says about itself in INFO.

export interface RedisInfo {
  /** A random id of this run of this instance. */
  readonly runId?: string;
  readonly isCluster: boolean;
  readonly isSentinel: boolean;
  /** Whether a Cluster has channels that live in one shard: Redis 7 and later, and Valkey. */
  readonly hasShardedChannels: boolean;
  /** The policy by which Redis removes keys when its memory is full. Undefined when it removes none, or does not say. */
  readonly evictionPolicy?: string;
  /** The clock of Redis, in ms since 1970. */
  readonly timeMs?: number;
}

/** Reads the text of `INFO server` and `INFO memory`. Members that Redis does not report are absent. */
export function parseRedisInfo(text: string): RedisInfo {
  const read = (name: string): string | undefined => new RegExp(`^${name}:(\\S+)`, "m").exec(text)?.[1];
  const policy = read("maxmemory_policy");
  const isBounded = (read("maxmemory") ?? "0") !== "0";
  const isEvicting = isBounded && policy !== undefined && policy !== "noeviction";
  const runId = read("run_id");
  const microseconds = read("server_time_usec");
  const mode = read("redis_mode") ?? read("server_mode");
  return {
    isCluster: mode === "cluster",
    isSentinel: mode === "sentinel",
    hasShardedChannels: Number.parseInt(read("redis_version") ?? "0", 10) >= 7 || read("valkey_version") !== undefined,
    ...(runId !== undefined && { runId }),
    ...(isEvicting && { evictionPolicy: policy }),
    ...(microseconds !== undefined && { timeMs: Number(microseconds) / 1_000 }),
  };
}
