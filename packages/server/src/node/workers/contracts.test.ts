// The stores that workers share through their parent pass the contract suites of their interfaces.
import { describe, it } from "vitest";
import { describeBus } from "../../contracts/bus.ts";
import { describeDirectory } from "../../contracts/directory.ts";
import { describeRateCounter } from "../../contracts/rate-counter.ts";
import { describeRateStore } from "../../contracts/rate-store.ts";
import { describeSessionStateStore } from "../../contracts/session-state-store.ts";
import { describeSingleUseStore } from "../../contracts/single-use-store.ts";
import { describeTaskStore } from "../../contracts/task-store.ts";
import {
  createLinkedBus,
  createLinkedRateCounter,
  createLinkedRateStore,
  createLinkedSessionStateStore,
  createLinkedSingleUseStore,
} from "./linked-stores.ts";
import { createLinkedTaskStore } from "./linked-task-store.ts";
import { createLinkedWorkers, type LinkedWorkers } from "./testing/linked-workers.ts";
import { WorkerDirectory } from "./worker-directory.ts";

const space = "server";
const join = () => createLinkedWorkers().join();

describe("createLinkedSingleUseStore", () =>
  describeSingleUseStore({ it }, async () => createLinkedSingleUseStore(await join(), space)));
describe("createLinkedRateCounter", () =>
  describeRateCounter({ it }, async () => createLinkedRateCounter(await join(), space)));
describe("createLinkedRateStore", () =>
  describeRateStore({ it }, async () => createLinkedRateStore(await join(), space)));
describe("createLinkedSessionStateStore", () =>
  describeSessionStateStore({ it }, async () => createLinkedSessionStateStore(await join(), space)));
describe("createLinkedBus", () => describeBus({ it }, async () => createLinkedBus(await join(), space)));
describe("createLinkedTaskStore", () => {
  let workers: LinkedWorkers;
  const open = async () => {
    workers = createLinkedWorkers();
    return createLinkedTaskStore(await workers.join(), space);
  };
  describeTaskStore({ it }, open, async () => createLinkedTaskStore(await workers.join(), space));
});
describe("WorkerDirectory", () =>
  describeDirectory({ it }, async () => {
    return new WorkerDirectory({ link: await join(), dispatchAt: () => undefined, onProblem: () => {} });
  }));
