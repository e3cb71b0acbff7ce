// The options of a server whose processes share all state in Redis instead of their own memory.

import { checkOptions, type KnownOptions, pickOptions } from "@lethe/protocol";
import { knownSharedKeys, type SharedKeys } from "@lethe/server/sealing";
import type { Bus, SessionStateStore, SingleUseStore, TaskStore } from "@lethe/server/stores";
import type { RedisConnection } from "./connection/redis-connection.ts";
import { type SharedSessions, shareSessions } from "./legacy/share-sessions.ts";
import { createRedisSingleUseStore } from "./seal/redis-single-use-store.ts";
import { createRedisSessionStateStore } from "./sessions/redis-session-state-store.ts";
import { createRedisBus } from "./subscriptions/redis-bus.ts";
import { createRedisTaskStore } from "./tasks/redis-task-store.ts";

/** Options of `createRedisServerOptions`. */
export interface RedisServerOptions extends SharedKeys {
  /** Called once per kind of message that did not reach the other processes. Default: console.warn. */
  onWarning?: (warning: string) => void;
}

const knownRedisServerOptions: KnownOptions<RedisServerOptions> = { ...knownSharedKeys, onWarning: true };

/** The part of the `ServerOptions` of @lethe/server that Redis provides. */
export interface SharedServerOptions {
  /** The sessions of clients of older revisions. */
  legacy: SharedSessions;
  /** Replay protection across processes. */
  singleUse: SingleUseStore;
  /** Keeps the state of sessions (`ctx.session`). */
  sessionStore: SessionStateStore;
  /** Carries changes between processes. */
  subscriptions: { bus: Bus };
  /** Stores tasks, so that another process can continue them. */
  tasks: { store: TaskStore };
}

/**
 * Creates options for `createServer` in every process of a server. Another server needs another prefix or other keys. Rejects with
 * an Error without keys, or when Redis does not answer.
 *
 * @example
 * import { connectRedis, createRedisServerOptions } from "@lethe/redis";
 * import { createServer } from "@lethe/server";
 *
 * const redis = await connectRedis({ url: "redis://127.0.0.1:6379", prefix: "tracker:" });
 * const options = await createRedisServerOptions(redis, { keys: `k1:${"A".repeat(43)}` });
 * const server = createServer({ name: "tracker", version: "1.0.0" }, options);
 * await server.close();
 * redis.close();
 */
export async function createRedisServerOptions(
  redis: RedisConnection,
  options: RedisServerOptions = {},
): Promise<SharedServerOptions> {
  checkOptions("createRedisServerOptions", options, knownRedisServerOptions);
  const keys = pickOptions<SharedKeys>(options, knownSharedKeys);
  const [legacy, bus, tasks, singleUse, sessionStore] = await Promise.all([
    shareSessions(redis, options),
    createRedisBus(redis, options),
    createRedisTaskStore(redis, keys),
    createRedisSingleUseStore(redis, keys),
    createRedisSessionStateStore(redis, keys),
  ]);
  return { legacy, singleUse, sessionStore, subscriptions: { bus }, tasks: { store: tasks } };
}
