// The functions of @lethe/redis: what they return, and each used once in a wrong way.
import {
  type CheckedRedis,
  type ClientCertificate,
  checkRedis,
  connectRedis,
  createRedisBus,
  createRedisClientMessageRelay,
  createRedisDirectory,
  createRedisEventLog,
  createRedisRateCounter,
  createRedisServerOptions,
  createRedisSessionStateStore,
  createRedisSessionStore,
  createRedisSingleUseStore,
  createRedisStreamRelay,
  createRedisTaskStore,
  inspectRedis,
  type RedisConnection,
  type RedisOptions,
  type SharedServerOptions,
  shareByRedis,
  UnusableRedisError,
} from "@lethe/redis";
import { createServer, type ServerOptions } from "@lethe/server";
import { rateLimit } from "@lethe/server/middleware";
import {
  type Bus,
  type ClientMessageRelay,
  createKeyRing,
  type EventLog,
  type RateCounter,
  type SessionStateStore,
  type SessionStore,
  type SingleUseStore,
  type StreamRelay,
  type TaskStore,
} from "@lethe/server/stores";

const options: RedisOptions = { url: "redis://127.0.0.1:6379", prefix: "shop:", timeoutMs: 2_000 };
const clientCertificate: ClientCertificate = { certFile: "client.crt", keyFile: "client.key" };
// @ts-expect-error a certificate has a key
export const incomplete: RedisOptions = { ...options, clientCertificate: { certFile: "client.crt" } };
export const certified: RedisOptions = { ...options, url: "rediss://127.0.0.1:6379", clientCertificate };
const redis: RedisConnection = await connectRedis(options);
export const replicas: number | undefined = (await inspectRedis({ url: options.url })).replicas;
const keys = `k1:${"A".repeat(43)}`;

// All stores at once, for a server.
const shared: SharedServerOptions = await createRedisServerOptions(redis, { keys });
const serverOptions: ServerOptions = shared;
createServer({ name: "shop", version: "1.0.0" }, { ...serverOptions, instructions: "Buy tea." });

// One store at a time.
export const stores: [
  Bus,
  ClientMessageRelay,
  EventLog,
  SessionStore,
  SessionStateStore,
  SingleUseStore,
  StreamRelay,
  TaskStore,
] = await Promise.all([
  createRedisBus(redis, { keys }),
  createRedisClientMessageRelay(redis, { keys }),
  createRedisEventLog(redis, { keys }),
  createRedisSessionStore(redis, { keys }),
  createRedisSessionStateStore(redis, { keys, maxBytes: 65_536 }),
  createRedisSingleUseStore(redis, { keys }),
  createRedisStreamRelay(redis, { keys }),
  createRedisTaskStore(redis, { keys }),
]);
const counter: RateCounter = createRedisRateCounter(redis);
rateLimit({ perCaller: 60, counter });
const checked: CheckedRedis = await checkRedis({ url: "redis://127.0.0.1:6379" });
export const problem: string | undefined = checked.isReached ? checked.warning : checked.problem;
export const isEvicting = (error: unknown): boolean =>
  error instanceof UnusableRedisError && error.reason === "evicting";

// @ts-expect-error url is missing
await connectRedis({ prefix: "shop:" });
// @ts-expect-error options, not a URL
await connectRedis("redis://127.0.0.1:6379");
// @ts-expect-error timeout
await connectRedis({ url: "redis://127.0.0.1:6379", timeout: 2_000 });
// @ts-expect-error a connection comes first
await createRedisServerOptions({ keys });
// @ts-expect-error key
await createRedisServerOptions(redis, { key: keys });
// @ts-expect-error no such option
await createRedisBus(redis, { channel: "changes" });
// @ts-expect-error no such option
await createRedisClientMessageRelay(redis, { ttl: 1_000 });
// @ts-expect-error no such option
await createRedisEventLog(redis, { ttl: 1_000 });
// @ts-expect-error no such option
createRedisRateCounter(redis, { perCaller: 60 });
// @ts-expect-error maxBytes is a number
await createRedisSessionStateStore(redis, { keys, maxBytes: "64kb" });
// @ts-expect-error no such option
await createRedisSessionStore(redis, { ttl: 1_000 });
// @ts-expect-error keys is text or a list
await createRedisSingleUseStore(redis, { keys: 1 });
// @ts-expect-error a connection is missing
await createRedisStreamRelay();
// @ts-expect-error no such option
await createRedisTaskStore(redis, { ttl: 1_000 });
// @ts-expect-error a connection is missing
await createRedisDirectory({ ring: createKeyRing(keys) });
// @ts-expect-error settings are missing
await shareByRedis({ onBack() {} });
// @ts-expect-error url is missing
await checkRedis({});
