// The stores in Redis pass the contract suites of their interfaces.
import {
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
import { describe, it } from "vitest";
import { createRedisClientMessageRelay } from "./legacy/redis-client-message-relay.ts";
import { createRedisEventLog } from "./legacy/redis-event-log.ts";
import { createRedisSessionStore } from "./legacy/redis-session-store.ts";
import { createRedisRateCounter, createRedisRateStore } from "./limits/redis-rate-counter.ts";
import { createRedisSingleUseStore } from "./seal/redis-single-use-store.ts";
import { createRedisSessionStateStore } from "./sessions/redis-session-state-store.ts";
import { createRedisBus } from "./subscriptions/redis-bus.ts";
import { createRedisTaskStore } from "./tasks/redis-task-store.ts";
import { keys, useRedis } from "./testing/own-redis.ts";
import { useReplicas } from "./testing/replicas.ts";

const { connect } = useRedis();
const startReplicas = useReplicas();
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
// Every connection of a test has the same prefix.
describe("createRedisTaskStore", () => describeTaskStore({ it }, openTaskStore, openTaskStore));
describe("createRedisDirectory", () => describeDirectory({ it }, async () => (await startReplicas()).join()));
