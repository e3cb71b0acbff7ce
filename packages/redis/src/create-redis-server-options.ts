// What the processes of one server share, in Redis: all that a server otherwise keeps in its memory.
import type { Bus, SingleUseStore, TaskStore } from "@lethe/server/stores";
import type { RedisConnection } from "./connection/redis-connection.ts";
import { type SharedSessions, shareSessions } from "./legacy/share-sessions.ts";
import { createRedisSingleUseStore } from "./seal/redis-single-use-store.ts";
import type { SharedKeys } from "./seal/shared-keys.ts";
import { createRedisBus } from "./subscriptions/redis-bus.ts";
import { createRedisTaskStore } from "./tasks/redis-task-store.ts";

export interface RedisServerOptions extends SharedKeys {
  /** Told once of each kind of thing that did not reach the other processes. Default: console.warn. */
  onWarning?: (warning: string) => void;
}

/** The part of the `ServerOptions` of @lethe/server that Redis provides. */
export interface SharedServerOptions {
  legacy: SharedSessions;
  singleUse: SingleUseStore;
  subscriptions: { bus: Bus };
  tasks: { store: TaskStore };
}

/**
 * For `createServer`, in every process of one server; another server takes another prefix, or other keys. Rejects when there are
 * no keys, or Redis does not answer.
 */
export async function createRedisServerOptions(
  redis: RedisConnection,
  options: RedisServerOptions = {},
): Promise<SharedServerOptions> {
  const [legacy, bus, tasks, singleUse] = await Promise.all([
    shareSessions(redis, options),
    createRedisBus(redis, options),
    createRedisTaskStore(redis, options),
    createRedisSingleUseStore(redis, options),
  ]);
  return { legacy, singleUse, subscriptions: { bus }, tasks: { store: tasks } };
}
