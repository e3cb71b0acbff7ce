// The in-memory implementations pass the contract suites of their interfaces.
import { describe, it } from "vitest";
import { createMemoryRateCounter } from "../middleware/rate-counter.ts";
import { createSharedRateCounter } from "../middleware/shared-rate-counter.ts";
import { createLocalDirectory } from "../replicas/directory.ts";
import { createMemorySingleUseStore } from "../seal/memory-single-use-store.ts";
import { createMemorySessionStateStore } from "../session/memory-session-state-store.ts";
import { createMemoryBus } from "../subscriptions/bus.ts";
import { describeBus } from "./bus.ts";
import { describeDirectory } from "./directory.ts";
import { describeRateCounter } from "./rate-counter.ts";
import { describeRateStore } from "./rate-store.ts";
import { describeSessionStateStore } from "./session-state-store.ts";
import { describeSingleUseStore } from "./single-use-store.ts";

describe("createMemoryBus", () => describeBus({ it }, () => createMemoryBus()));
describe("createMemoryRateCounter", () => {
  describeRateCounter({ it }, () => createMemoryRateCounter());
  describeRateStore({ it }, () => createMemoryRateCounter());
});
describe("createSharedRateCounter", () =>
  describeRateCounter({ it }, () => createSharedRateCounter(createMemoryRateCounter())));
describe("createMemorySessionStateStore", () =>
  describeSessionStateStore({ it }, () => createMemorySessionStateStore()));
describe("createMemorySingleUseStore", () => describeSingleUseStore({ it }, () => createMemorySingleUseStore()));
describe("createLocalDirectory", () => describeDirectory({ it }, createLocalDirectory));
