// The stores pass the contract suites of their interfaces in a Redis Cluster of three shards.
import {
  createKeyRing,
  describeBus,
  describeClientMessageRelay,
  describeDirectory,
  describeEventLog,
  describeRateCounter,
  describeSessionStateStore,
  describeSessionStore,
  describeSingleUseStore,
  describeTaskStore,
} from "@lethe/server/stores";
import { afterAll, afterEach, beforeAll, describe, it } from "vitest";
import { connectRedis, type RedisConnection } from "./connection/redis-connection.ts";
import { createRedisClientMessageRelay } from "./legacy/redis-client-message-relay.ts";
import { createRedisEventLog } from "./legacy/redis-event-log.ts";
import { createRedisSessionStore } from "./legacy/redis-session-store.ts";
import { createRedisRateCounter } from "./limits/redis-rate-counter.ts";
import { createRedisDirectory } from "./replicas/redis-directory.ts";
import { createRedisSingleUseStore } from "./seal/redis-single-use-store.ts";
import { createRedisSessionStateStore } from "./sessions/redis-session-state-store.ts";
import { createRedisBus } from "./subscriptions/redis-bus.ts";
import { createRedisTaskStore } from "./tasks/redis-task-store.ts";
import { keys } from "./testing/own-redis.ts";
import { type RunningCluster, startCluster } from "./testing/redis-cluster.ts";

let cluster: RunningCluster;
let count = 0;
const ends: (() => unknown)[] = [];

beforeAll(async () => {
  cluster = await startCluster();
}, 120_000);
afterAll(() => cluster.stop());
afterEach(async () => {
  count += 1;
  for (const end of ends.splice(0).reverse()) await end();
});

/** Every connection of a test has the same prefix. */
async function connect(): Promise<RedisConnection> {
  const connection = await connectRedis({ url: cluster.url, prefix: `${count}:` });
  ends.push(() => connection.close());
  return connection;
}

const openTaskStore = async () => createRedisTaskStore(await connect(), { keys });

describe("createRedisClientMessageRelay", () =>
  describeClientMessageRelay({ it }, async () => createRedisClientMessageRelay(await connect(), { keys })));
describe("createRedisBus", () => describeBus({ it }, async () => createRedisBus(await connect(), { keys })));
describe("createRedisEventLog", () =>
  describeEventLog({ it }, async () => createRedisEventLog(await connect(), { keys })));
describe("createRedisRateCounter", () =>
  describeRateCounter({ it }, async () => createRedisRateCounter(await connect(), { patienceMs: 10_000 })));
describe("createRedisSessionStore", () =>
  describeSessionStore({ it }, async () => createRedisSessionStore(await connect(), { keys })));
describe("createRedisSessionStateStore", () =>
  describeSessionStateStore({ it }, async () => createRedisSessionStateStore(await connect(), { keys })));
describe("createRedisSingleUseStore", () =>
  describeSingleUseStore({ it }, async () => createRedisSingleUseStore(await connect(), { keys })));
describe("createRedisTaskStore", () => describeTaskStore({ it }, openTaskStore, openTaskStore));
describe("createRedisDirectory", () =>
  describeDirectory({ it }, async () => {
    const connection = await connect();
    const plan = { connection, ring: createKeyRing(keys), dispatchAt: () => undefined, onProblem: () => {} };
    const directory = await createRedisDirectory(plan);
    ends.push(() => directory.close());
    return directory;
  }));
