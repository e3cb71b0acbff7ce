// What processes share of older clients' sessions, in Redis.
import { pickOptions } from "@lethe/protocol";
import { knownSharedKeys, type SharedKeys } from "@lethe/server/sealing";
import type { LegacyOptions } from "@lethe/server/stores";
import type { RedisConnection } from "../connection/redis-connection.ts";
import { createRedisClientMessageRelay, type RedisClientMessageRelayOptions } from "./redis-client-message-relay.ts";
import { createRedisEventLog } from "./redis-event-log.ts";
import { createRedisSessionStore } from "./redis-session-store.ts";
import { createRedisStreamRelay } from "./redis-stream-relay.ts";

export type SharedSessions = Required<Pick<LegacyOptions, "clientMessages" | "events" | "relay" | "store">>;

/** Ends with the connection. Resolves when everything can arrive. */
export async function shareSessions(
  redis: RedisConnection,
  options: Pick<RedisClientMessageRelayOptions, "keys" | "onWarning">,
): Promise<SharedSessions> {
  const keys = pickOptions<SharedKeys>(options, knownSharedKeys);
  const [clientMessages, events, store, relay] = await Promise.all([
    createRedisClientMessageRelay(redis, options),
    createRedisEventLog(redis, keys),
    createRedisSessionStore(redis, keys),
    createRedisStreamRelay(redis, keys),
  ]);
  return { clientMessages, events, store, relay };
}
