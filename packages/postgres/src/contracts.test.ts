// The stores in PostgreSQL pass the contract suites of their interfaces.
import {
  describeBus,
  describeRateCounter,
  describeSessionStateStore,
  describeSingleUseStore,
  describeTaskStore,
} from "@lethe/server/stores";
import { describe, it } from "vitest";
import { createPostgresRateCounter } from "./limits/postgres-rate-counter.ts";
import { createPostgresSingleUseStore } from "./seal/postgres-single-use-store.ts";
import { createPostgresSessionStateStore } from "./sessions/postgres-session-state-store.ts";
import { createPostgresBus } from "./subscriptions/postgres-bus.ts";
import { createPostgresTaskStore } from "./tasks/postgres-task-store.ts";
import { keys, usePostgres } from "./testing/own-postgres.ts";

const { connect } = usePostgres();
const openTaskStore = async () => createPostgresTaskStore(await connect(), { keys });

describe("createPostgresBus", () => describeBus({ it }, async () => createPostgresBus(await connect(), { keys })));
describe("createPostgresRateCounter", () =>
  describeRateCounter({ it }, async () => createPostgresRateCounter(await connect(), { patienceMs: 10_000 })));
describe("createPostgresSessionStateStore", () =>
  describeSessionStateStore({ it }, async () => createPostgresSessionStateStore(await connect(), { keys })));
describe("createPostgresSingleUseStore", () =>
  describeSingleUseStore({ it }, async () => createPostgresSingleUseStore(await connect(), { keys })));
// Every connection of a test has the same prefix.
describe("createPostgresTaskStore", () => describeTaskStore({ it }, openTaskStore, openTaskStore));
