// The stores pass the contract suites of their interfaces in a Redis Cluster of three shards.
import {
  createKeyRing,
  describeBus,
  describeClientMessageRelay,
  describeDirectory,
  describeEventLog,
  describeRateCounter,
  describeRateStore,
  describeSessionStateStore,
  describeSessionStore,
  describeSingleUseStore,
  describeTaskStore,
} from "@lethe/server/stores";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createFakeExchange } from "../../gateway/src/testing/fakes.ts";
import { checkRedis } from "./check-redis.ts";
import { connectRedis, type RedisConnection } from "./connection/redis-connection.ts";
import { createRedisClientMessageRelay } from "./legacy/redis-client-message-relay.ts";
import { createRedisEventLog } from "./legacy/redis-event-log.ts";
import { createRedisSessionStore } from "./legacy/redis-session-store.ts";
import { createRedisRateCounter, createRedisRateStore } from "./limits/redis-rate-counter.ts";
import { createRedisDirectory } from "./replicas/redis-directory.ts";
import { createRedisSingleUseStore } from "./seal/redis-single-use-store.ts";
import { createRedisSessionStateStore } from "./sessions/redis-session-state-store.ts";
import { createRedisBus } from "./subscriptions/redis-bus.ts";
import { createRedisTaskStore } from "./tasks/redis-task-store.ts";
import { keys } from "./testing/own-redis.ts";
import { type RunningCluster, startCluster } from "./testing/redis-cluster.ts";
import { callOf } from "./testing/replicas.ts";

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
describe("createRedisRateStore", () =>
  describeRateStore({ it }, async () =>
    createRedisRateStore(await connect(), { name: "requests", patienceMs: 10_000 }),
  ));
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

/** Creates the account "lethe" at every node. */
async function createAccount(): Promise<void> {
  const rights = ["~lethe:*", "&lethe:*", "+@read", "+@write", "+@pubsub", "+@scripting", "+@connection", "+info"];
  const flags = ["on", ">secret", "resetkeys", "resetchannels", "-@all", ...rights, "+cluster"];
  for (const { port } of cluster.primaries) {
    const admin = new Redis(port, "127.0.0.1");
    await admin.call("ACL", "SETUSER", "lethe", ...flags);
    admin.disconnect();
  }
}

it("an account with the documented rights may do what replicas need", async () => {
  await createAccount();
  const url = cluster.url.replace("://", "://lethe:secret@");
  expect(await checkRedis({ url })).toEqual({ isReached: true });
  const open = async () => {
    const connection = await connectRedis({ url });
    ends.push(() => connection.close());
    const dispatchAt = () => async () => ({ resultType: "complete", content: [] }) as const;
    const directory = await createRedisDirectory({ connection, ring: createKeyRing(keys), dispatchAt, onProblem() {} });
    ends.push(() => directory.close());
    return { connection, directory };
  };
  const [one, two] = [await open(), await open()];
  await one.directory.acquire("session");
  const { owner } = await two.directory.acquire("session");
  const dispatch = await two.directory.reach(owner, "/mcp");
  expect(await dispatch?.(callOf("tool"), createFakeExchange())).toMatchObject({ resultType: "complete" });
  const notes = { ttlMs: 60_000, max: 10 };
  await one.directory.placement.exchange("of one", notes);
  expect(await two.directory.placement.exchange("of two", notes)).toEqual(new Map([[one.directory.self, "of one"]]));
  expect(await two.directory.placement.isOwned("other")).toBe(false);
  expect(await one.connection.subscribersOf([`replica:${owner}`, "replica:nobody"])).toEqual([1, 0]);
});

it("an account with another password is refused, with the reason and without the password", async () => {
  await createAccount();
  const url = cluster.url.replace("://", "://lethe:wrong-one@");
  const told = await checkRedis({ url });
  expect(told).toMatchObject({ isReached: false, problem: expect.stringMatching(/WRONGPASS|AUTH/) });
  expect(JSON.stringify(told)).not.toContain("wrong-one");
});
