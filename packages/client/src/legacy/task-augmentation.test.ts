// Serves the task augmentation of a legacy server as the tasks extension (D-38, F): start, read, update, cancel.
import {
  isMcpError,
  type JsonObject,
  type JsonRpcRequest,
  type ModernRequest,
  metaKey,
  type Result,
  tasksExtension,
  withTaskAugmentation,
} from "@lethe/protocol";
import { relatedTaskKey } from "@lethe/protocol/revisions";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { connectLegacy } from "./connect-legacy.ts";
import type { LegacyOptions } from "./legacy-connection.ts";
import {
  type Answer,
  createFakeExchange,
  createFakeLegacyServer,
  everyCapability,
  letGo,
  modernRequest,
} from "./testing/fake-legacy-server.ts";

const capabilities = { tools: { listChanged: true }, tasks: { requests: { tools: { call: {} } }, cancel: {} } };
const declared = {
  [metaKey.clientCapabilities]: { ...everyCapability, extensions: { [tasksExtension]: {} } },
};
const times = { createdAt: "2026-01-01T00:00:00Z", lastUpdatedAt: "2026-01-01T00:00:01Z" };
const tools = [
  { name: "must", inputSchema: { type: "object" }, execution: { taskSupport: "required" } },
  { name: "may", inputSchema: { type: "object" }, execution: { taskSupport: "optional" } },
  { name: "never", inputSchema: { type: "object" } },
];
const form = { message: "Who?", requestedSchema: { type: "object", properties: { name: { type: "string" } } } };
const related = { _meta: { [relatedTaskKey]: { taskId: "t1" } } };
const accepted = { action: "accept", content: { name: "Ada" } };

/** A server with one task, whose state a test sets. */
async function connected(answers: Record<string, Answer> = {}, options: Partial<LegacyOptions> = {}) {
  const task: JsonObject = { taskId: "t1", status: "working", ...times, ttl: 60_000, pollInterval: 10 };
  const server = createFakeLegacyServer(capabilities, {
    "tools/list": () => ({ tools }),
    "tools/call": ({ params }) => (params?.task ? { task: { ...task } } : { content: [] }),
    "tasks/get": ({ params }) => (params?.taskId === "t1" ? { ...task } : refusal),
    "tasks/result": () => undefined,
    "tasks/cancel": ({ params }) => (params?.taskId === "t1" ? { ...task, status: "cancelled" } : refusal),
    ...answers,
  });
  const connection = await connectLegacy(server.wire, { clientInfo: { name: "c", version: "1" }, ...options });
  onTestFinished(() => connection.close());
  const dispatch = (request: ModernRequest, caller?: string): Promise<Result> =>
    letGo(connection.dispatch(request, createFakeExchange(caller)));
  const call = (name: string) => dispatch(modernRequest("tools/call", { name }, declared));
  const about = (method: string, params: JsonObject = {}, caller?: string) =>
    dispatch(modernRequest(method, { taskId: "t1", ...params }, declared), caller);
  const sent = (method: string) =>
    server.received.filter((message) => "method" in message && message.method === method);
  return { server, connection, task, dispatch, call, about, sent };
}

const refusal = { error: { code: -32602, message: "no such task" } };
const paramsOf = (request: JsonRpcRequest | undefined): JsonObject | undefined => request?.params;

afterEach(() => void vi.useRealTimers());

describe("task-augmented calls", () => {
  it("starts a task for a tool that requires one and returns it in the current form (F-4)", async () => {
    const { call, server, sent } = await connected();
    expect(await call("must")).toEqual({
      resultType: "task",
      taskId: "t1",
      status: "working",
      ...times,
      ttlMs: 60_000,
      pollIntervalMs: 10,
      _meta: { [metaKey.serverInfo]: { name: "fake", version: "1" } },
    });
    expect(paramsOf(await server.nextRequest("tools/call"))).toEqual({ name: "must", task: {} });
    await call("must");
    expect(sent("tools/list")).toHaveLength(1);
  });

  it("recognises the task that FastMCP 2.14 names in _meta", async () => {
    const named = { "modelcontextprotocol.io/task": { taskId: "t1", status: "working" } };
    const { call } = await connected({ "tools/call": () => ({ content: [], isError: false, _meta: named }) });
    expect(await call("must")).toMatchObject({ resultType: "task", taskId: "t1", status: "working", ttlMs: null });
  });

  it("starts a task for a tool with optional task support only if the caller requests one", async () => {
    const { call, dispatch, sent } = await connected();
    expect((await call("may")).resultType).toBe("complete");
    const augmented = withTaskAugmentation(modernRequest("tools/call", { name: "may" }, declared), { ttlMs: 5_000 });
    expect((await dispatch(augmented)).resultType).toBe("task");
    const vain = withTaskAugmentation(modernRequest("tools/call", { name: "never" }, declared), {});
    expect((await dispatch(vain)).resultType).toBe("complete");
    expect(sent("tools/call").map((message) => paramsOf(message as JsonRpcRequest)?.task)).toEqual([
      undefined,
      { ttl: 5_000 },
      undefined,
    ]);
  });

  it("sends a plain call if the caller did not declare tasks, and does not list the tools (F-2)", async () => {
    const { dispatch, sent } = await connected();
    expect((await dispatch(modernRequest("tools/call", { name: "must" }))).resultType).toBe("complete");
    expect(sent("tools/list")).toEqual([]);
  });

  it("starts the task of a call with an input request once it is answered", async () => {
    const { server, dispatch, call } = await connected({ "tools/call": () => undefined });
    const asking = call("must");
    const { id } = await server.nextRequest("tools/call");
    server.ask("e1", "elicitation/create", form);
    const { requestState, inputRequests } = await asking;
    const inputResponses = Object.fromEntries(Object.keys(inputRequests as JsonObject).map((key) => [key, accepted]));
    const retry = dispatch(modernRequest("tools/call", { name: "must", requestState, inputResponses }, declared));
    await server.nextResponse("e1");
    server.say({ jsonrpc: "2.0", id, result: { task: { taskId: "t1", status: "working", ...times, ttl: null } } });
    expect(await retry).toMatchObject({ resultType: "task", taskId: "t1", ttlMs: null });
  });

  it("starts a task when a call is retried after a URL elicitation (D-39)", async () => {
    const elicitations = [{ url: "https://e.example/", message: "Log in", elicitationId: "1" }];
    const refusals = [{ error: { code: -32042, message: "log in first", data: { elicitations } } }];
    const task = { taskId: "t1", status: "working", ...times, ttl: null };
    const { call, dispatch, sent } = await connected({ "tools/call": () => refusals.shift() ?? { task } });
    const { inputRequests } = await call("must");
    const inputResponses = Object.fromEntries(
      Object.keys(inputRequests as object).map((key) => [key, { action: "accept" }]),
    );
    const again = await dispatch(modernRequest("tools/call", { name: "must", inputResponses }, declared));
    expect(again.resultType).toBe("task");
    expect(sent("tools/call").map((message) => paramsOf(message as JsonRpcRequest)?.task)).toEqual([{}, {}]);
  });

  it("rejects an invalid task in the server's answer", async () => {
    const { call } = await connected({ "tools/call": () => ({ task: { taskId: 1 } }) });
    await expect(call("must")).rejects.toMatchObject({ name: "TransportError", reason: "invalid" });
  });

  it("reads task support again after the tools have changed", async () => {
    let support = "required";
    const { call, server, sent } = await connected({
      "tools/list": () => ({ tools: [{ ...tools[0], execution: { taskSupport: support } }] }),
    });
    await call("must");
    support = "forbidden";
    server.tell("notifications/tools/list_changed");
    expect((await call("must")).resultType).toBe("complete");
    expect(sent("tools/list")).toHaveLength(2);
  });
});

describe("tasks/get", () => {
  it("returns the result of a completed task without a reference to the task (F-10, F-26)", async () => {
    const { about, task } = await connected({
      "tasks/result": () => ({ content: [], structuredContent: { a: 1 }, ...related }),
    });
    task.status = "completed";
    const state = await about("tasks/get");
    expect(state).toMatchObject({ resultType: "complete", taskId: "t1", status: "completed", ttlMs: 60_000 });
    expect(state.result).toEqual({
      content: [],
      structuredContent: { a: 1 },
      _meta: { [metaKey.serverInfo]: { name: "fake", version: "1" } },
    });
  });

  it("completes a task whose tool failed, and fails a task whose call failed (F-12)", async () => {
    let outcome: JsonObject = { content: [], isError: true };
    const { about, task } = await connected({ "tasks/result": () => outcome });
    task.status = "failed";
    expect(await about("tasks/get")).toMatchObject({ status: "completed", result: { isError: true } });
    outcome = { error: { code: -32603, message: "broken", data: 1 } };
    expect(await about("tasks/get")).toMatchObject({
      status: "failed",
      error: { code: -32603, message: "broken", data: 1 },
    });
    task.status = "completed";
    await expect(about("tasks/get")).rejects.toMatchObject({ code: -32603 });
    task.status = "cancelled";
    expect(await about("tasks/get")).not.toHaveProperty("result");
  });

  it("shows an input request that arrives with tasks/result in the task's state, and sends the answer back there", async () => {
    const { about, task, server, sent } = await connected();
    task.status = "input_required";
    const asking = about("tasks/get");
    const { id } = await server.nextRequest("tasks/result");
    server.ask("e1", "elicitation/create", { ...form, ...related }, id);
    const state = await asking;
    expect(state).toMatchObject({ status: "input_required", inputRequests: { q1: { params: { message: "Who?" } } } });
    expect(await about("tasks/update", { inputResponses: { q1: accepted, other: {} } })).toMatchObject({
      resultType: "complete",
    });
    expect(await server.nextResponse("e1")).toMatchObject({ result: accepted });
    server.ask("e2", "elicitation/create", { ...form, ...related });
    expect(await about("tasks/get")).toMatchObject({ inputRequests: { q2: {} } });
    expect(sent("tasks/result")).toHaveLength(1);
  });

  it("assigns an input request without a task id to the task with an open tasks/result", async () => {
    const { about, task, server } = await connected();
    task.status = "input_required";
    const asking = about("tasks/get");
    const { id } = await server.nextRequest("tasks/result");
    server.ask("e1", "elicitation/create", form, id);
    expect(await asking).toMatchObject({ inputRequests: { q1: {} } });
  });

  it("reports a task as working while the server sends no input request", async () => {
    vi.useFakeTimers();
    const { about, task } = await connected();
    task.status = "input_required";
    const asking = about("tasks/get");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await asking).toMatchObject({ status: "working" });
  });

  it("rejects at once an input request for which the caller declared no capability (E-23)", async () => {
    const { server, call } = await connected();
    await call("must");
    server.ask("e1", "sampling/createMessage", { messages: [], maxTokens: 1, tools: [], ...related });
    expect(await server.nextResponse("e1")).toMatchObject({ error: { code: -32601 } });
    server.ask("e2", "elicitation/create", { ...related });
    expect(await server.nextResponse("e2")).toMatchObject({ error: { code: -32602 } });
  });

  it("removes an input request that the server cancels from the task", async () => {
    const { server, call, about } = await connected();
    await call("must");
    server.ask("e1", "elicitation/create", { ...form, ...related });
    expect(await about("tasks/get")).toHaveProperty("inputRequests");
    server.tell("notifications/cancelled", { requestId: "e1" });
    expect(await about("tasks/get")).not.toHaveProperty("inputRequests");
  });

  it("rejects an input request that is still open when the task has ended", async () => {
    const { server, call, about, task } = await connected({ "tasks/result": () => ({ content: [] }) });
    await call("must");
    server.ask("e1", "elicitation/create", { ...form, ...related });
    task.status = "completed";
    expect(await about("tasks/get")).toMatchObject({ status: "completed" });
    expect(await server.nextResponse("e1")).toMatchObject({ error: { code: -1 } });
  });

  it("answers roots/list at once when the roots are known", async () => {
    const roots = [{ uri: "file:///a" }];
    const { server, call } = await connected({}, { roots });
    await call("must");
    server.ask("r1", "roots/list", related);
    expect(await server.nextResponse("r1")).toMatchObject({ result: { roots } });
  });

  it("rejects an input request that no caller reads, and ends the wait for the result", async () => {
    vi.useFakeTimers();
    const { server, call, about, task } = await connected({}, { pendingTtlMs: 5_000 });
    await call("must");
    task.status = "input_required";
    const asking = about("tasks/get");
    const { id } = await server.nextRequest("tasks/result");
    server.ask("e1", "elicitation/create", { ...form, ...related }, id);
    await asking;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await server.nextResponse("e1")).toMatchObject({ error: { code: -1 } });
    expect(paramsOf((await server.nextNotification("notifications/cancelled")) as JsonRpcRequest)).toMatchObject({
      requestId: id,
    });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("releases all state when the connection is closed during an input request", async () => {
    vi.useFakeTimers();
    const { about, task, connection } = await connected();
    task.status = "input_required";
    const asking = about("tasks/get");
    await vi.advanceTimersByTimeAsync(10);
    await connection.close();
    await asking;
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("access to tasks", () => {
  it("answers -32602 for an unknown task and for a task of another caller (F-13, F-25)", async () => {
    const { dispatch, about } = await connected();
    await dispatch(modernRequest("tools/call", { name: "must" }, declared), "ada");
    expect(await about("tasks/get", {}, "ada")).toMatchObject({ status: "working" });
    for (const method of ["tasks/get", "tasks/cancel", "tasks/update"]) {
      await expect(about(method, { inputResponses: {} }, "eve")).rejects.toMatchObject({ code: -32602 });
      await expect(about(method, { taskId: "t2", inputResponses: {} })).rejects.toMatchObject({ code: -32602 });
    }
  });

  it("unknown task ids evict no task from memory", async () => {
    const { dispatch, about, server } = await connected();
    await dispatch(modernRequest("tools/call", { name: "must" }, declared), "ada");
    const guesses = Array.from({ length: 1_001 }, (_, index) =>
      about("tasks/get", { taskId: `guess ${index}` }, "eve"),
    );
    await Promise.allSettled(guesses);
    server.ask("e1", "elicitation/create", { ...form, ...related });
    expect(await about("tasks/get", {}, "ada")).toHaveProperty("inputRequests.q1");
  });

  it("rejects task methods from a caller that did not declare tasks (F-13)", async () => {
    const { dispatch } = await connected();
    const request = modernRequest("tasks/get", { taskId: "t1" });
    await expect(dispatch(request)).rejects.toMatchObject({ code: -32021 });
  });

  it("a server without tasks has no task methods", async () => {
    const server = createFakeLegacyServer({ tools: {} });
    const { dispatch } = await connectLegacy(server.wire, { clientInfo: { name: "c", version: "1" } });
    const error = await dispatch(modernRequest("tasks/get", { taskId: "t1" }, declared), createFakeExchange()).catch(
      (thrown: unknown) => thrown,
    );
    expect(isMcpError(error) && error.code).toBe(-32601);
  });

  it("forwards no response that does not fit its input request (E-29)", async () => {
    const { server, call, about } = await connected();
    await call("must");
    server.ask("e1", "elicitation/create", { ...form, ...related });
    await expect(about("tasks/update", { inputResponses: { q1: { action: "maybe" } } })).rejects.toMatchObject({
      code: -32602,
    });
    expect(await about("tasks/get")).toHaveProperty("inputRequests.q1");
  });
});

describe("tasks/cancel", () => {
  it("tasks/cancel is acknowledged and closes the open input requests of the task (F-20)", async () => {
    const { server, call, about } = await connected();
    await call("must");
    server.ask("e1", "elicitation/create", { ...form, ...related });
    expect(await about("tasks/cancel")).toMatchObject({ resultType: "complete" });
    expect(await server.nextResponse("e1")).toMatchObject({ error: { code: -1 } });
  });

  it("tasks/cancel is not acknowledged if it is unknown whether the server received it", async () => {
    const { connection } = await connected({ "tasks/cancel": () => undefined });
    const exchange = { ...createFakeExchange(), limits: { timeoutMs: 20 } };
    const cancelling = connection.dispatch(modernRequest("tasks/cancel", { taskId: "t1" }, declared), exchange);
    await expect(cancelling).rejects.toMatchObject({ reason: "timeout" });
  });

  it("tasks/cancel is acknowledged for an ended task and for a server without cancellation (F-20)", async () => {
    const { about } = await connected({ "tasks/cancel": () => ({ error: { code: -32602, message: "it has ended" } }) });
    expect(await about("tasks/cancel")).toMatchObject({ resultType: "complete" });
  });
});
