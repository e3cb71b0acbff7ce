// One replica of a gateway with one upstream, for tests of tasks.

import { PendingCalls } from "@lethe/client/edge";
import {
  type Dispatch,
  type Exchange,
  type JsonObject,
  type ModernRequest,
  method,
  type Result,
  type TaskSupport,
  tasksExtension,
} from "@lethe/protocol";
import { createSeal } from "@lethe/server/edge";
import type { Directory } from "@lethe/server/stores";
import { createKeyRing } from "@lethe/server/stores";
import { afterEach, beforeEach, vi } from "vitest";
import { CallForwarder } from "../calls/call-forwarder.ts";
import type { TaskBounds } from "../calls/gateway-tasks.ts";
import type { GatewayPendingCalls } from "../calls/pending-call.ts";
import { RequestHold } from "../calls/request-hold.ts";
import { createRequestStateSeal } from "../calls/request-state.ts";
import { createTaskMethods } from "../calls/task-methods.ts";
import type { Affinity } from "../config/upstream-config.ts";
import { createTasks } from "../edge/endpoints/gateway-tasks.ts";
import type { SharedRecord, SharedRecords } from "../upstreams/directory/shared-state.ts";
import { createFakeExchange, createFakeSessions, everyCapability, type FakeConnection, requestOf } from "./fakes.ts";

export const withTasks: JsonObject = { ...everyCapability, extensions: { [tasksExtension]: {} } };

const ring = createKeyRing();

export interface ReplicaPlan {
  connect(): FakeConnection;
  /** The registry of the connections. Default: an empty one. */
  pendingCalls?: GatewayPendingCalls;
  tasks?: "auto" | "never";
  kind?: "stdio" | "http";
  affinity?: Affinity;
  taskSupport?: TaskSupport;
  bounds?: TaskBounds;
  maxFollowed?: number;
  /** The other replicas; this one adds itself. */
  others?: Map<string, Dispatch>;
  name?: string;
  /** The records that replicas share. Default: none. */
  records?: SharedRecords;
  /** Whether the tool and the operator allow a second run. */
  isRepeatable?: boolean;
  mayCall?: () => boolean;
}

/** Records in memory. `fails` makes the methods reject. */
export function createMemoryRecords(): SharedRecords & { fails: boolean } {
  const kept = new Map<string, SharedRecord>();
  const records = {
    fails: false,
    async read(key: string) {
      if (records.fails) throw new Error("the store is away");
      return kept.get(key);
    },
    async write(key: string, value: JsonObject, { version }: { version: number }) {
      if (records.fails) throw new Error("the store is away");
      if ((kept.get(key)?.version ?? 0) !== version) return false;
      kept.set(key, { value: structuredClone(value), version: version + 1 });
      return true;
    },
  };
  return records;
}

export type Replica = ReturnType<typeof createReplica>;

/** For the tests of a file: each replica ends with its test, and the clock, which a test may set, advances by itself. */
export function useReplicas(defaults: Partial<ReplicaPlan> = {}): (plan: ReplicaPlan) => Replica {
  const replicas: Replica[] = [];
  beforeEach(() => void vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ["setTimeout", "clearTimeout", "Date"] }));
  afterEach(async () => {
    for (const replica of replicas.splice(0)) await replica.close();
    vi.useRealTimers();
  });
  return (plan) => {
    const replica = createReplica({ ...defaults, ...plan });
    replicas.push(replica);
    return replica;
  };
}

function createReplica({ others = new Map(), name = "one", ...plan }: ReplicaPlan) {
  const directory: Directory = {
    self: name,
    acquire: () => ({ owner: name }),
    release: () => {},
    reach: (replica) => others.get(replica),
  };
  const { pendingCalls = new PendingCalls() } = plan;
  const { sessions, opened } = createFakeUpstream();
  const now = { sessions };
  const sessionsOf = (upstream: string) => (upstream === "up" ? now.sessions : undefined);
  const tasks = createTasks({
    ...{ ring, directory, sessionsOf },
    bounds: { afterMs: 5, ...plan.bounds },
    records: plan.records,
    ...(plan.maxFollowed !== undefined && { maxFollowed: plan.maxFollowed }),
  });
  const seal = createRequestStateSeal(createSeal(ring, { server: "g" }));
  const hold = new RequestHold();
  const forwarder = new CallForwarder({ seal, directory, pendingCalls, hold, path: "/mcp", tasks });
  tasks.own.resumeThrough(forwarder);
  const { mayCall = () => true } = plan;
  const taskMethods = createTaskMethods({
    ...{ ...tasks, directory, forwarder, hold, path: "/mcp", sessionsOf },
    mayCall,
  });
  others.set(name, taskMethods.answer);

  function createFakeUpstream() {
    const { tasks: makes, affinity } = plan;
    const made = createFakeSessions({
      connect: async () => plan.connect(),
      directory,
      onSessionEnd: (ended) => pendingCalls.drop(({ holder }) => holder?.session === ended),
      ...(makes && { tasks: makes }),
      ...(affinity && { affinity }),
    });
    if (plan.kind === "http") Object.assign(made.sessions.config, { kind: "http" });
    return made;
  }

  /** Replaces the configuration of the upstream. */
  async function renew(): Promise<void> {
    const before = now.sessions;
    now.sessions = createFakeUpstream().sessions;
    await before.retire({ graceMs: 0 });
  }

  function send(called: string, params: JsonObject, callerId = "ann", capabilities = withTasks): Promise<Result> {
    return dispatch(requestOf(called, params, { capabilities }), createFakeExchange(callerId));
  }

  async function dispatch(request: ModernRequest, exchange: Exchange): Promise<Result> {
    const repeatable = plan.isRepeatable === true && { isRepeatable: true };
    if (request.method !== method.callTool) return taskMethods.answer(request, exchange);
    const target = { sessions: now.sessions, params: { name: "tool" }, taskSupport: plan.taskSupport, ...repeatable };
    return forwarder.forward(target, request, exchange, await forwarder.open(request, exchange));
  }

  /** Waits until a task has a status, and returns it. */
  async function reach(taskId: unknown, status: string): Promise<Result> {
    return vi.waitFor(async () => {
      const task = await send(method.getTask, { taskId });
      if (task.status !== status) throw new Error(`${task.status}, not ${status}`);
      return task;
    });
  }

  return {
    ...{ tasks, taskMethods, sessions, opened, pendingCalls, dispatch, send, reach, renew },
    call: (params: JsonObject = {}, callerId?: string, capabilities?: JsonObject) =>
      send(method.callTool, { name: "up__tool", arguments: {}, ...params }, callerId, capabilities),
    get: (taskId: unknown, callerId?: string) => send(method.getTask, { taskId }, callerId),
    async close(): Promise<void> {
      await tasks.close();
      await now.sessions.close();
    },
  };
}
