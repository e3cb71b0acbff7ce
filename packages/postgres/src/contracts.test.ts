// The stores in PostgreSQL pass the contract suites of their interfaces.
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
import { describe, it } from "vitest";
import { createPostgresClientMessageRelay } from "./legacy/postgres-client-message-relay.ts";
import { createPostgresEventLog } from "./legacy/postgres-event-log.ts";
import { createPostgresSessionStore } from "./legacy/postgres-session-store.ts";
import { createPostgresRateCounter, createPostgresRateStore } from "./limits/postgres-rate-counter.ts";
import { createPostgresDirectory } from "./replicas/postgres-directory.ts";
import { createPostgresSingleUseStore } from "./seal/postgres-single-use-store.ts";
import { createPostgresSessionStateStore } from "./sessions/postgres-session-state-store.ts";
import { createPostgresBus } from "./subscriptions/postgres-bus.ts";
import { createPostgresTaskStore } from "./tasks/postgres-task-store.ts";
import { keys, usePostgres } from "./testing/own-postgres.ts";

const { connect, atEnd } = usePostgres();
const openTaskStore = async () => createPostgresTaskStore(await connect(), { keys });

describe("createPostgresBus", () => describeBus({ it }, async () => createPostgresBus(await connect(), { keys })));
describe("createPostgresClientMessageRelay", () =>
  describeClientMessageRelay({ it }, async () => createPostgresClientMessageRelay(await connect(), { keys })));
describe("createPostgresDirectory", () =>
  describeDirectory({ it }, async () => {
    const ring = createKeyRing(keys);
    const plan = { postgres: await connect(), ring, dispatchAt: () => undefined, onProblem: () => {} };
    const directory = await createPostgresDirectory(plan);
    atEnd(() => directory.close());
    return directory;
  }));
describe("createPostgresEventLog", () =>
  describeEventLog({ it }, async () => createPostgresEventLog(await connect(), { keys })));
describe("createPostgresSessionStore", () =>
  describeSessionStore({ it }, async () => createPostgresSessionStore(await connect(), { keys })));
describe("createPostgresRateCounter", () =>
  describeRateCounter({ it }, async () => createPostgresRateCounter(await connect(), { patienceMs: 10_000 })));
describe("createPostgresRateStore", () =>
  describeRateStore({ it }, async () =>
    createPostgresRateStore(await connect(), { name: "requests", patienceMs: 10_000 }),
  ));
describe("createPostgresSessionStateStore", () =>
  describeSessionStateStore({ it }, async () => createPostgresSessionStateStore(await connect(), { keys })));
describe("createPostgresSingleUseStore", () =>
  describeSingleUseStore({ it }, async () => createPostgresSingleUseStore(await connect(), { keys })));
// Every connection of a test has the same prefix.
describe("createPostgresTaskStore", () => describeTaskStore({ it }, openTaskStore, openTaskStore));
