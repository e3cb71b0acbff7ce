// Tasks that an upstream makes: under ids of the gateway's, wherever they are asked after, and followed once for all who listen.

import { TransportError } from "@lethe/client";
import {
  type DetailedTask,
  type Dispatch,
  type Exchange,
  isJsonObject,
  type JsonObject,
  type ModernRequest,
  method,
  notificationMethod,
  type Result,
  taskAugmentationOf,
  tasksExtension,
  toAcknowledged,
  withTaskAugmentation,
} from "@lethe/protocol";
import { describe, expect, it, vi } from "vitest";
import { createFakeConnection, createFakeExchange, done, requestOf } from "../testing/fakes.ts";
import { type Replica, useReplicas, withTasks } from "../testing/task-replica.ts";

const start = useReplicas();

const base = {
  taskId: "inner",
  createdAt: "2026-08-01T00:00:00Z",
  lastUpdatedAt: "2026-08-01T00:00:01Z",
  ttlMs: 1_000,
};
const working: DetailedTask = { ...base, status: "working" };
const completed: DetailedTask = { ...base, status: "completed", result: { content: [] } };

interface Stream {
  tell(task: DetailedTask): void;
  end(): void;
}

interface UpstreamPlan {
  /** In place of a task. */
  answer?: Result;
  hasTasks?: boolean;
  onRequest?: (request: ModernRequest) => void;
  /** Which tasks may be listened to. */
  knows?: (taskId: string) => boolean;
}

/** A server with one task, whose streams stay open. */
function createTaskUpstream({ answer, hasTasks = true, onRequest, knows = () => true }: UpstreamPlan = {}) {
  const asked: { method: string; params: JsonObject }[] = [];
  const current = { isAway: false };
  const streams: Stream[] = [];
  let state: DetailedTask = working;

  function listen(id: string | number, params: JsonObject, exchange: Exchange): Promise<Result> {
    const wanted = isJsonObject(params.notifications) ? (params.notifications.taskIds as string[]) : [];
    const taskIds = wanted.filter(knows);
    return new Promise((resolve) => {
      const end = () => {
        const index = streams.indexOf(stream);
        if (index >= 0) streams.splice(index, 1);
        resolve({ resultType: "complete" });
      };
      const stream: Stream = {
        end,
        tell: (task) =>
          void exchange.notify({ jsonrpc: "2.0", method: notificationMethod.task, params: { ...task } as JsonObject }),
      };
      streams.push(stream);
      exchange.signal.addEventListener("abort", end);
      exchange.notify(toAcknowledged(id, { taskIds }));
      if (taskIds.length === 0) end();
    });
  }

  const dispatch: Dispatch = async (request, exchange) => {
    const { id, method: called, params } = request;
    onRequest?.(request);
    if (current.isAway) throw new TransportError("unreachable", "nobody there");
    asked.push({ method: called, params: params as unknown as JsonObject });
    if (called === method.listen) return listen(id, params, exchange);
    if (called === method.getTask) return { resultType: "complete", ...state };
    return called === method.callTool ? (answer ?? { ...base, resultType: "task", status: "working" }) : { ...done };
  };

  function connect() {
    const connection = createFakeConnection({ era: "modern", dispatch });
    const { server } = connection;
    const extensions = hasTasks ? { [tasksExtension]: {} } : {};
    return Object.assign(connection, { server: { ...server, capabilities: { tools: {}, extensions } } });
  }

  return Object.assign(current, {
    ...{ asked, streams, connect },
    completes() {
      state = completed;
    },
  });
}

describe("tasks of an upstream", () => {
  it("requests a task if the caller supports tasks and the upstream offers them", async () => {
    for (const hasTasks of [true, false]) {
      const { asked, connect } = createTaskUpstream({ answer: done, hasTasks });
      const { call, sessions } = start({ connect });
      await sessions.start();
      await call();
      await call({}, "ann", { sampling: {} });
      const declared = asked.map(
        ({ params }) => (params._meta as JsonObject)["io.modelcontextprotocol/clientCapabilities"],
      );
      expect(declared.map((capabilities) => (capabilities as JsonObject).extensions !== undefined)).toEqual([
        hasTasks,
        false,
      ]);
    }
  });

  it("requests no task where the session ends with its call", async () => {
    const { asked, connect } = createTaskUpstream({ answer: done });
    await start({ connect, affinity: "call" }).call();
    expect(asked[0]?.params._meta).not.toHaveProperty(["io.modelcontextprotocol/clientCapabilities", "extensions"]);
  });

  it("reaches the upstream's task by its own id and answers under the public id", async () => {
    const upstream = createTaskUpstream();
    const { call, send, get } = start({ connect: upstream.connect });
    const { taskId } = await call();
    expect(await get(taskId)).toMatchObject({ resultType: "complete", taskId, status: "working" });
    const inputResponses = { q: { action: "accept" } };
    const ack = { resultType: "complete" };
    expect(await send(method.updateTask, { taskId, inputResponses })).toMatchObject(ack);
    expect(await send(method.cancelTask, { taskId })).toMatchObject(ack);
    const [, ...asked] = upstream.asked;
    expect(asked).toMatchObject([
      { method: method.getTask, params: { taskId: "inner" } },
      { method: method.updateTask, params: { taskId: "inner", inputResponses } },
      { method: method.cancelTask, params: { taskId: "inner" } },
    ]);
  });

  it("prefers a task of the upstream to a task of the gateway (F-2)", async () => {
    const { asked, connect } = createTaskUpstream();
    const { call, get, sessions } = start({ connect, tasks: "auto" });
    await sessions.start();
    await get((await call()).taskId);
    expect(asked.map((request) => request.method)).toEqual([method.callTool, method.getTask]);
  });

  it("requests no task of the upstream where the gateway makes tasks", async () => {
    const { asked, connect } = createTaskUpstream({ answer: done, hasTasks: false });
    await start({ connect, tasks: "auto" }).call();
    expect(asked[0]?.params._meta).not.toHaveProperty(["io.modelcontextprotocol/clientCapabilities", "extensions"]);
  });

  it("finds a task of an upstream again after the upstream was unavailable", async () => {
    const upstream = createTaskUpstream();
    const { call, get } = start({ connect: upstream.connect });
    const { taskId } = await call();
    upstream.isAway = true;
    await expect(get(taskId)).rejects.toMatchObject({
      data: { reason: "unavailable", retryAfterMs: expect.any(Number) },
    });
    upstream.isAway = false;
    expect(await get(taskId)).toMatchObject({ taskId });
  });

  it("a task of a process belongs to its replica; a task of a remote server is reachable from every replica", async () => {
    for (const kind of ["stdio", "http"] as const) {
      const [one, two] = [createTaskUpstream(), createTaskUpstream()];
      const others = new Map<string, Dispatch>();
      const made = start({ connect: one.connect, kind, others, name: "one" });
      const other = start({ connect: two.connect, kind, others, name: "two" });
      const { taskId } = await made.call();
      expect(await other.get(taskId)).toMatchObject({ taskId });
      const asks = ({ asked }: typeof one) => asked.filter((request) => request.method === method.getTask).length;
      expect([asks(one), asks(two)]).toEqual(kind === "stdio" ? [1, 0] : [0, 1]);
    }
  });

  it("reports a malformed task or one with an overlong id as a failure of the upstream", async () => {
    for (const answer of [
      { resultType: "task", status: "working" },
      { ...base, resultType: "task", status: "working", taskId: "x".repeat(5_000) },
    ]) {
      const { call } = start({ connect: createTaskUpstream({ answer: answer as Result }).connect });
      await expect(call()).rejects.toMatchObject({ code: -32603, data: { reason: "invalid", upstream: "up" } });
    }
  });
});

describe("task augmentation of 2025-11-25 (D-38)", () => {
  it("forwards a task of 2025-11-25 that its tool requires, and makes no gateway task for it", async () => {
    const { asked, connect } = createTaskUpstream({ hasTasks: false });
    const { call, get } = start({ connect, tasks: "auto", taskSupport: "required" });
    await get((await call()).taskId);
    expect(asked.map((request) => request.method)).toEqual([method.callTool, method.getTask]);
  });

  it("requests an optional task of 2025-11-25 if the gateway makes none", async () => {
    const wished: unknown[] = [];
    const { connect } = createTaskUpstream({
      hasTasks: false,
      onRequest: (request) => wished.push(taskAugmentationOf(request)),
    });
    const { dispatch } = start({ connect, taskSupport: "optional" });
    const request = requestOf(method.callTool, { name: "up__tool" }, { capabilities: withTasks });
    const { resultType } = await dispatch(withTaskAugmentation(request, { ttlMs: 7 }), createFakeExchange("ann"));
    expect(resultType).toBe("task");
    expect(wished).toEqual([{ ttlMs: 7 }]);
  });
});

describe("subscriptions to tasks of an upstream", () => {
  async function follow({ taskMethods, tasks }: Replica, taskId: string, heard: DetailedTask[]) {
    const found = await taskMethods.find(taskId, { id: "ann" });
    return found && tasks.subscriptions.acquire(found, { id: "ann" }, (task) => void heard.push(task));
  }

  it("reports a task under its public id with one upstream stream while at least one caller listens", async () => {
    const upstream = createTaskUpstream();
    const replica = start({ connect: upstream.connect });
    const taskId = String((await replica.call()).taskId);
    const first: DetailedTask[] = [];
    const second: DetailedTask[] = [];
    const releases = [await follow(replica, taskId, first), await follow(replica, taskId, second)];
    expect(upstream.streams).toHaveLength(1);
    upstream.streams[0]?.tell({ ...working, statusMessage: "half" });
    expect(first).toEqual([expect.objectContaining({ taskId, statusMessage: "half" })]);
    expect(second).toEqual(first);
    releases[0]?.();
    expect(upstream.streams).toHaveLength(1);
    releases[1]?.();
    await vi.waitFor(() => expect(upstream.streams).toEqual([]));
    expect(replica.tasks.subscriptions.size).toBe(0);
  });

  it("reports changes missed while the stream was interrupted, and closes the stream after the end", async () => {
    const upstream = createTaskUpstream();
    const replica = start({ connect: upstream.connect });
    const taskId = String((await replica.call()).taskId);
    const heard: DetailedTask[] = [];
    await follow(replica, taskId, heard);
    upstream.completes();
    upstream.streams[0]?.end();
    await vi.waitFor(() => expect(heard).toEqual([expect.objectContaining({ taskId, status: "completed" })]), 5_000);
    expect(upstream.streams).toEqual([]);
  });

  it("continues a task subscription when its upstream is reconfigured", async () => {
    const upstream = createTaskUpstream();
    const replica = start({ connect: upstream.connect, kind: "http" });
    const taskId = String((await replica.call()).taskId);
    const heard: DetailedTask[] = [];
    await follow(replica, taskId, heard);
    await replica.renew();
    upstream.streams[0]?.end();
    await vi.waitFor(() => expect(upstream.streams).toHaveLength(1), 5_000);
    upstream.streams[0]?.tell({ ...working, statusMessage: "on" });
    expect(heard.at(-1)).toMatchObject({ taskId, statusMessage: "on" });
  });

  it("reports nothing about a task unknown to its upstream or about another task", async () => {
    const upstream = createTaskUpstream({ knows: () => false });
    const replica = start({ connect: upstream.connect });
    const taskId = String((await replica.call()).taskId);
    const heard: DetailedTask[] = [];
    expect(await follow(replica, taskId, heard)).toBeUndefined();
    // Refused is refused: the upstream is not asked for ever.
    await vi.advanceTimersByTimeAsync(10_000);
    expect(upstream.asked.filter((request) => request.method === method.listen)).toHaveLength(1);
    const other = createTaskUpstream();
    const second = start({ connect: other.connect });
    await follow(second, String((await second.call()).taskId), heard);
    other.streams[0]?.tell({ ...working, taskId: "somebody else's" });
    expect(heard).toEqual([]);
  });

  it("rejects task subscriptions beyond the limit", async () => {
    const replica = start({ connect: createTaskUpstream().connect, maxFollowed: 1 });
    const [one, two] = [await replica.call(), await replica.call()].map(({ taskId }) => String(taskId));
    expect(await follow(replica, one ?? "", [])).toBeDefined();
    expect(await follow(replica, two ?? "", [])).toBeUndefined();
  });

  it("finds no task of another caller for a subscription", async () => {
    const replica = start({ connect: createTaskUpstream().connect });
    const { taskId } = await replica.call({}, "bob", withTasks);
    expect(await follow(replica, String(taskId), [])).toBeUndefined();
  });
});
