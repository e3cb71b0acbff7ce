// The entry point of @lethe/redis: state that several processes of a server or gateway share, in Redis or Valkey.
export { connectRedis, type RedisConnection, type RedisOptions } from "./connection/redis-connection.ts";
export {
  createRedisServerOptions,
  type RedisServerOptions,
  type SharedServerOptions,
} from "./create-redis-server-options.ts";
export { createRedisAnswerExchange, type RedisAnswerExchangeOptions } from "./legacy/redis-answer-exchange.ts";
export { createRedisEventLog, type RedisEventLogOptions } from "./legacy/redis-event-log.ts";
export { createRedisSessionStore, type RedisSessionStoreOptions } from "./legacy/redis-session-store.ts";
export { createRedisStreamRelay, type RedisStreamRelayOptions } from "./legacy/redis-stream-relay.ts";
export { createRedisRateCounter, type RedisRateCounterOptions } from "./limits/redis-rate-counter.ts";
export {
  createRedisDirectory,
  type RedisDirectory,
  type RedisDirectoryOptions,
} from "./replicas/redis-directory.ts";
export { createRedisSingleUseStore, type RedisSingleUseOptions } from "./seal/redis-single-use-store.ts";
export type { SharedKeys } from "./seal/shared-keys.ts";
export { type RedisShare, type RedisShareOptions, type RedisShareStatus, shareByRedis } from "./share-by-redis.ts";
export { createRedisBus, type RedisBusOptions } from "./subscriptions/redis-bus.ts";
export { createRedisTaskStore, type RedisTaskStoreOptions } from "./tasks/redis-task-store.ts";
