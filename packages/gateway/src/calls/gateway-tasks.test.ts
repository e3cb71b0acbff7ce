// Long calls to an upstream without tasks: what becomes of them at the replica that made the tasks, and at others.
import { PendingCalls } from "@lethe/client/edge";
import {
  type Dispatch,
  type Exchange,
  errorCode,
  type JsonObject,
  type ModernRequest,
  method,
  notificationMethod,
  type Result,
  withTaskAugmentation,
} from "@lethe/protocol";
import { ReplicaError } from "@lethe/server/stores";
import { describe, expect, it, vi } from "vitest";
import { type AskingUpstream, createAskingUpstream } from "../testing/asking-upstream.ts";
import { createFakeConnection, createFakeExchange, done, everyCapability, requestOf } from "../testing/fakes.ts";
import { type Replica, useReplicas, withTasks } from "../testing/task-replica.ts";
import type { LiveTask } from "./live-task.ts";
import type { GatewayPendingCalls } from "./pending-call.ts";

const start = useReplicas({ tasks: "auto" });

/** Calls wait until they are let go, with what they then do. */
function createHeldUpstream() {
  const running: { request: ModernRequest; exchange: Exchange; end(result: Result | Error): void }[] = [];
  const dispatch: Dispatch = (request, exchange) =>
    new Promise((resolve, reject) => {
      const end = (result: Result | Error) => (result instanceof Error ? reject(result) : resolve(result));
      exchange.signal.addEventListener("abort", () => reject(new Error("cancelled")));
      running.push({ request, exchange, end });
    });
  return { running, connect: () => createFakeConnection({ dispatch }) };
}

describe("tasks of the gateway for long calls", () => {
  it("turns a long call into a task of the gateway while the call continues", async () => {
    const { running, connect } = createHeldUpstream();
    const { call, get, reach } = start({ connect });
    const task = await call();
    expect(task).toMatchObject({ resultType: "task", status: "working", taskId: expect.stringMatching(/^1\./) });
    expect(await get(task.taskId)).toMatchObject({ resultType: "complete", status: "working", taskId: task.taskId });
    running[0]?.end(done);
    expect(await reach(task.taskId, "completed")).toMatchObject({
      taskId: task.taskId,
      result: { content: done.content },
    });
    expect(running).toHaveLength(1);
  });

  it("shows a task to the operator until it ends or expires", async () => {
    const { running, connect } = createHeldUpstream();
    const { call, reach, tasks } = start({ connect, bounds: { ttlMs: 60_000 } });
    const { taskId } = await call();
    const task = { upstream: "up", tool: "tool", callerId: "ann", status: "working" };
    expect(tasks.own.live).toEqual([expect.objectContaining(task)]);
    const { createdAt, expiresAt } = tasks.own.live[0] as LiveTask;
    expect(expiresAt - createdAt).toBe(60_000);
    running[0]?.end(done);
    await reach(taskId, "completed");
    expect(tasks.own.live).toEqual([]);
    await call();
    vi.setSystemTime(Date.now() + 60_000);
    expect(tasks.own.live).toEqual([]);
  });

  it("uses progress of the upstream as the status message of a task", async () => {
    const { running, connect } = createHeldUpstream();
    const { call, get } = start({ connect });
    const { taskId } = await call();
    const [{ request, exchange } = {} as never] = running;
    const { progressToken } = request.params._meta;
    const say = (params: JsonObject) =>
      exchange.notify({ jsonrpc: "2.0", method: notificationMethod.progress, params: { progressToken, ...params } });
    say({ progress: 1, total: 4 });
    await vi.waitFor(async () => expect(await get(taskId)).toMatchObject({ statusMessage: "1 of 4" }));
    say({ progress: 2, message: "half-way" });
    await vi.waitFor(async () => expect(await get(taskId)).toMatchObject({ statusMessage: "half-way" }));
  });

  it("sends requested progress to the caller until the call becomes a task (F-22)", async () => {
    for (const progressToken of [undefined, "mine"]) {
      const { running, connect } = createHeldUpstream();
      const { dispatch } = start({ connect, bounds: { afterMs: 60_000 } });
      const exchange = createFakeExchange("ann");
      const meta = progressToken === undefined ? {} : { progressToken };
      const calling = dispatch(
        requestOf(method.callTool, { name: "up__tool" }, { capabilities: withTasks, meta }),
        exchange,
      );
      await vi.waitFor(() => expect(running).toHaveLength(1));
      const [{ request, exchange: heard, end } = {} as never] = running;
      const params = { progressToken: request.params._meta.progressToken, progress: 1 };
      heard.notify({ jsonrpc: "2.0", method: notificationMethod.progress, params });
      heard.notify({ jsonrpc: "2.0", method: notificationMethod.message, params: { level: "info", data: 1 } });
      end(done);
      await calling;
      const told = exchange.notes.map((note) => note.params?.progressToken ?? note.method);
      expect(told).toEqual([...(progressToken ? [progressToken] : []), notificationMethod.message]);
    }
  });

  it("makes a task at once if the client asks for one (D-38), and refuses if tasks are disabled", async () => {
    const { connect } = createHeldUpstream();
    const request = requestOf(method.callTool, { name: "up__tool" }, { capabilities: withTasks });
    const wish = withTaskAugmentation(request, { ttlMs: 7_000 });
    const { dispatch } = start({ connect, bounds: { afterMs: 60_000 } });
    expect(await dispatch(wish, createFakeExchange("ann"))).toMatchObject({ resultType: "task", ttlMs: 7_000 });
    const without = start({ connect, tasks: "never" }).dispatch(wish, createFakeExchange("ann"));
    await expect(without).rejects.toMatchObject({ code: errorCode.methodNotFound });
  });

  it("fails the task when the upstream answers an error, with the text that callers may see", async () => {
    const { running, connect } = createHeldUpstream();
    const { call, reach } = start({ connect });
    const { taskId } = await call();
    running[0]?.end(new Error("secret"));
    const { error } = await reach(taskId, "failed");
    expect(error).toMatchObject({ code: errorCode.internalError, data: { upstream: "up" } });
    expect(JSON.stringify(error)).not.toContain("secret");
  });

  it("keeps a long call a call if the caller does not support tasks (F-2) or the operator disables them", async () => {
    const held = createHeldUpstream();
    const { call } = start({ connect: held.connect });
    const plain = call({}, "ann", everyCapability);
    await vi.waitFor(() => expect(held.running).toHaveLength(1));
    await vi.advanceTimersByTimeAsync(20);
    held.running[0]?.end(done);
    expect(await plain).toMatchObject({ resultType: "complete" });
    const other = start({ connect: held.connect, tasks: "never" }).call();
    await vi.waitFor(() => expect(held.running).toHaveLength(2));
    held.running[1]?.end(done);
    expect(await other).toMatchObject({ resultType: "complete" });
  });

  it("cancels the call with its task (F-20) and frees its session", async () => {
    const { running, connect } = createHeldUpstream();
    const { call, send, get, sessions } = start({ connect });
    const { taskId } = await call();
    expect(await send(method.cancelTask, { taskId })).toMatchObject({ resultType: "complete" });
    expect(await get(taskId)).toMatchObject({ status: "cancelled" });
    expect(running[0]?.exchange.signal.aborted).toBe(true);
    await vi.waitFor(() => expect([...sessions.sessions].every(({ isIdle }) => isIdle)).toBe(true));
    expect(await send(method.cancelTask, { taskId })).toMatchObject({ resultType: "complete" });
  });

  it("hides a task from other callers (F-25), and from its caller after it loses access to the tool", async () => {
    const { connect } = createHeldUpstream();
    let isAllowed = true;
    const { call, get } = start({ connect, mayCall: () => isAllowed });
    const { taskId } = await call();
    const unknown = { code: -32602, message: "unknown task" };
    await expect(get(taskId, "bob")).rejects.toMatchObject(unknown);
    isAllowed = false;
    await expect(get(taskId)).rejects.toMatchObject(unknown);
  });

  it("looks up no task for a caller that does not declare the extension (F-13)", async () => {
    const { send } = start(createHeldUpstream());
    const get = send(method.getTask, { taskId: "x" }, "ann", everyCapability);
    await expect(get).rejects.toMatchObject({ code: errorCode.missingClientCapability });
  });
});

describe("input requests of tasks", () => {
  /** Asks when it is let go. */
  function createLateAsker() {
    const pendingCalls: GatewayPendingCalls = new PendingCalls();
    const asking: AskingUpstream = createAskingUpstream({ tool: ["Who?"] }, { pendingCalls });
    let letGo = (): void => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const dispatch: Dispatch = async (request, exchange) => {
      const result = await asking.connection.dispatch(request, exchange);
      if (request.params.requestState === undefined) await held;
      return result;
    };
    const connect = () => createFakeConnection({ dispatch, pendingCalls });
    return { asking, pendingCalls, letGo: () => letGo(), connect };
  }

  it("a task presents the input request of its call and continues with the answer", async () => {
    const { asking, letGo, connect, pendingCalls } = createLateAsker();
    const { call, send, reach } = start({ connect, pendingCalls });
    const { taskId } = await call();
    letGo();
    const { inputRequests, requestState } = await reach(taskId, "input_required");
    expect(inputRequests).toMatchObject({ q: { params: { message: "Who?" } } });
    expect(requestState).toBeUndefined();
    expect(pendingCalls.size).toBe(1);
    await expect(send(method.updateTask, { taskId, inputResponses: { q: { roots: [] } } })).rejects.toMatchObject({
      code: errorCode.invalidParams,
    });
    const inputResponses = { q: { action: "accept", content: { name: "Ann" } } };
    await send(method.updateTask, { taskId, inputResponses });
    expect(await reach(taskId, "completed")).toMatchObject({ result: { content: [{ text: "Ann" }] } });
    expect(asking.ran).toEqual(["tool"]);
    expect(pendingCalls.size).toBe(0);
  });

  it("cancels the input request at the upstream when the task is cancelled", async () => {
    const { asking, letGo, connect, pendingCalls } = createLateAsker();
    const { call, send, reach } = start({ connect, pendingCalls });
    const { taskId } = await call();
    letGo();
    await reach(taskId, "input_required");
    await send(method.cancelTask, { taskId });
    await vi.waitFor(() => expect(asking.cancelled).toEqual(["tool"]));
    expect(pendingCalls.size).toBe(0);
  });

  it("fails the task when its pending call is lost, and does not run the call again", async () => {
    const { asking, letGo, connect, pendingCalls } = createLateAsker();
    const { call, send, reach, sessions } = start({ connect, pendingCalls });
    const { taskId } = await call();
    letGo();
    await reach(taskId, "input_required");
    for (const { connection } of sessions.sessions) await connection?.close();
    await send(method.updateTask, { taskId, inputResponses: { q: { action: "accept", content: { name: "Ann" } } } });
    expect(await reach(taskId, "failed")).toMatchObject({ error: { data: { reason: "call_gone" } } });
    expect(asking.ran).toEqual(["tool"]);
  });

  it("sends an input request to a caller whose call is not a task yet, and the retry may become a task", async () => {
    const pendingCalls: GatewayPendingCalls = new PendingCalls();
    const release: (() => void)[] = [];
    async function onAnswer(goOn: () => Result): Promise<Result> {
      await new Promise<void>((resolve) => release.push(resolve));
      return goOn();
    }
    const asking = createAskingUpstream({ tool: ["Who?"] }, { pendingCalls, onAnswer });
    const { call, reach } = start({ connect: () => asking.connection, pendingCalls });
    const { requestState, resultType } = await call();
    expect(resultType).toBe("input_required");
    const task = await call({ requestState, inputResponses: { q: { action: "accept", content: { name: "Ann" } } } });
    expect(task).toMatchObject({ resultType: "task" });
    release[0]?.();
    expect(await reach(task.taskId, "completed")).toMatchObject({ result: { content: [{ text: "Ann" }] } });
    expect(asking.ran).toEqual(["tool"]);
  });
});

describe("tasks of other replicas", () => {
  it("forwards task requests to the replica that made the task, and reports a task of a lost replica as lost", async () => {
    const { running, connect } = createHeldUpstream();
    const others = new Map<string, Dispatch>();
    const one = start({ connect, others, name: "one" });
    const two = start({ connect, others, name: "two" });
    const { taskId } = await one.call();
    expect(await two.get(taskId)).toMatchObject({ status: "working", taskId });
    await expect(two.get(taskId, "bob")).rejects.toMatchObject({ message: "unknown task" });
    await two.send(method.cancelTask, { taskId });
    expect(await one.get(taskId)).toMatchObject({ status: "cancelled" });
    expect(running[0]?.exchange.signal.aborted).toBe(true);
    others.delete("one");
    await expect(two.get(taskId)).rejects.toMatchObject({
      code: -32603,
      data: { reason: "task_lost", upstream: "up" },
    });
  });

  it.each([
    ["a task request", (two: Replica, taskId: unknown) => two.get(taskId)],
    ["a cancellation", (two: Replica, taskId: unknown) => two.send(method.cancelTask, { taskId })],
  ])("holds %s while the replica that made the task cannot be reached", async (_, send) => {
    const others = new Map<string, Dispatch>();
    const one = start({ connect: createHeldUpstream().connect, others, name: "one" });
    const two = start({ connect: createHeldUpstream().connect, others, name: "two" });
    const { taskId } = await one.call();
    const reachable = others.get("one") as Dispatch;
    let failures = 2;
    others.set("one", (request, exchange) => {
      failures -= 1;
      return failures < 0
        ? reachable(request, exchange)
        : Promise.reject(new ReplicaError("unavailable", "does not answer", { retryAfterMs: 60_000 }));
    });
    expect(await send(two, taskId)).toMatchObject({ resultType: "complete" });
    expect(failures).toBe(-1);
  });
});

describe("limits of tasks", () => {
  it("returns results instead of further tasks to a caller with the maximum number of tasks", async () => {
    const { running, connect } = createHeldUpstream();
    const { call } = start({ connect, bounds: { maxTasksPerCaller: 1 } });
    expect(await call()).toMatchObject({ resultType: "task" });
    const second = call();
    await vi.waitFor(() => expect(running).toHaveLength(2));
    await vi.advanceTimersByTimeAsync(20);
    running[1]?.end(done);
    expect(await second).toMatchObject({ resultType: "complete" });
    expect(await call({}, "bob")).toMatchObject({ resultType: "task" });
  });

  it("does not find a task after its time to live", async () => {
    const { connect } = createHeldUpstream();
    const { call, get } = start({ connect, bounds: { ttlMs: 30 } });
    const { taskId, ttlMs } = await call();
    expect(ttlMs).toBe(30);
    await vi.waitFor(() => expect(get(taskId)).rejects.toMatchObject({ message: "unknown task" }));
  });
});
