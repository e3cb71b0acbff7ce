// What the processes of one server share, in Redis: all that a server otherwise keeps in its memory.
import type { ServerOptions } from "@lethe/server";
import type { RedisConnection } from "./connection/redis-connection.ts";
import { shareSessions } from "./legacy/share-sessions.ts";
import { createRedisSingleUseStore } from "./seal/redis-single-use-store.ts";
import type { SharedKeys } from "./seal/shared-keys.ts";
import { createRedisBus } from "./subscriptions/redis-bus.ts";
import { createRedisTaskStore } from "./tasks/redis-task-store.ts";

export interface RedisServerOptions extends SharedKeys {
  /** Told once of each kind of thing that did not reach the other processes. Default: console.warn. */
  onWarning?: (warning: string) => void;
}

export type SharedServerOptions = Required<Pick<ServerOptions, "legacy" | "singleUse" | "subscriptions" | "tasks">>;

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
