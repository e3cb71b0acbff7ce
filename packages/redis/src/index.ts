// The entry point of @lethe/redis: state that several processes of a server or gateway share, in Redis or Valkey.

export type { SharedKeys } from "@lethe/server/sealing";
export { type CheckedRedis, checkRedis } from "./check-redis.ts";
export type { ClientCertificate } from "./connection/client-certificate.ts";
export {
  connectRedis,
  type RedisConnection,
  type RedisOptions,
  UnusableRedisError,
} from "./connection/redis-connection.ts";
export type { RedisCommands, RedisLink } from "./connection/redis-link.ts";
export type { RedisProblem, RedisProblemReason } from "./connection/redis-problem.ts";
export {
  createRedisServerOptions,
  type RedisServerOptions,
  type SharedServerOptions,
} from "./create-redis-server-options.ts";
export { type InspectedRedis, inspectRedis } from "./inspect-redis.ts";
export {
  createRedisClientMessageRelay,
  type RedisClientMessageRelayOptions,
} from "./legacy/redis-client-message-relay.ts";
export { createRedisEventLog, type RedisEventLogOptions } from "./legacy/redis-event-log.ts";
export { createRedisSessionStore, type RedisSessionStoreOptions } from "./legacy/redis-session-store.ts";
export { createRedisStreamRelay, type RedisStreamRelayOptions } from "./legacy/redis-stream-relay.ts";
export { createRedisRateCounter, type RedisRateCounterOptions } from "./limits/redis-rate-counter.ts";
export type { DirectSettings, LinkChange } from "./links/direct-links.ts";
export type { RedisDirectoryOptions } from "./replicas/directory-options.ts";
export type { Evidence, Member } from "./replicas/evidence.ts";
export type { ReplicaChange } from "./replicas/membership.ts";
export { createRedisDirectory, type RedisDirectory } from "./replicas/redis-directory.ts";
export type { TimingOptions } from "./replicas/timings.ts";
export { createRedisSingleUseStore, type RedisSingleUseOptions } from "./seal/redis-single-use-store.ts";
export {
  createRedisSessionStateStore,
  type RedisSessionStateStoreOptions,
} from "./sessions/redis-session-state-store.ts";
export {
  type RedisShare,
  type RedisShareOptions,
  type RedisShareSettings,
  type RedisShareStatus,
  shareByRedis,
} from "./share-by-redis.ts";
export { createRedisBus, type RedisBusOptions } from "./subscriptions/redis-bus.ts";
export { createRedisTaskStore, type RedisTaskStoreOptions } from "./tasks/redis-task-store.ts";
