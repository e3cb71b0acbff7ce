// Tasks as a client meets them: handed out, asked after, answered, cancelled.
import type { CallToolResult, InputRequiredResult } from "@lethe/protocol";
import { errorCode, McpError, tasksExtension } from "@lethe/protocol";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import type { Context } from "../features/context.ts";
import { ToolError } from "../features/tool-error.ts";
import { call } from "../testing/call.ts";
import { RecordingExchange, requestOf } from "../testing/recording-exchange.ts";
import { capabilities, createTaskClient, type TaskClient } from "./testing/task-client.ts";

const nameForm = z.object({ name: z.string() });
const accept = (content: object) => ({ action: "accept", content });
const missing = { code: errorCode.missingClientCapability };
const clients: TaskClient[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map(({ server }) => server.close()));
});

function clientOf(...parameters: Parameters<typeof createTaskClient>): TaskClient {
  const client = createTaskClient(...parameters);
  clients.push(client);
  return client;
}

/** A promise that is resolved from outside. */
function gate<T = void>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((end) => {
    resolve = end;
  });
  return { promise, resolve };
}

/** A server with one tool. */
function clientWith(task: "auto" | "always" | "never", run: (ctx: Context) => unknown, options = {}): TaskClient {
  return clientOf((server) => server.tool("work", { task, handler: (_, ctx) => run(ctx) as object }), options);
}

describe("who gets a task", () => {
  it("no call becomes a task by default, not even with the params of another revision (F-2)", async () => {
    const client = clientWith("never", () => "done");
    const result = await client.call("work", {}, { params: { task: { ttl: 1000 } } });
    expect(result).toMatchObject({ resultType: "complete", content: [{ text: "done" }] });
  });

  it("who declared tasks with this request, when the work of an auto tool lasts (F-2, F-4)", async () => {
    const { promise, resolve } = gate();
    const client = clientWith("auto", () => promise.then(() => "done"));
    const handle = await client.call("work");
    expect(handle).toMatchObject({ resultType: "task", status: "working", ttlMs: 3_600_000, pollIntervalMs: 1_000 });
    expect(Object.keys(handle).sort()).toEqual(
      ["_meta", "createdAt", "lastUpdatedAt", "pollIntervalMs", "resultType", "status", "taskId", "ttlMs"].sort(),
    );
    const taskId = String(handle.taskId);
    expect(await client.get(taskId)).toMatchObject({ resultType: "complete", status: "working" });
    resolve();
    expect(await client.rest(taskId)).toMatchObject({ status: "completed", result: { content: [{ text: "done" }] } });
  });

  it("an auto tool that is quick answers by itself, and so does one whose caller did not declare tasks (F-3)", async () => {
    const client = clientWith("auto", (ctx) =>
      ctx.once("wait", () => new Promise((end) => setTimeout(end, 40, "done"))),
    );
    const quick = clientWith("auto", () => "done");
    expect(await quick.call("work")).toMatchObject({ resultType: "complete" });
    expect(await client.call("work", {}, { capabilities: {} })).toMatchObject({ content: [{ text: "done" }] });
    expect(await client.call("work", {}, { capabilities: { tasks: {} } })).toMatchObject({ resultType: "complete" });
  });

  it("an always tool hands one out at once, and refuses who did not declare tasks (F-3)", async () => {
    const client = clientWith("always", () => "done");
    expect(await client.call("work")).toMatchObject({ resultType: "task" });
    await expect(client.call("work", {}, { capabilities: {} })).rejects.toMatchObject({
      ...missing,
      data: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } },
    });
  });

  it("arguments against the schema make no task (J-9)", async () => {
    const client = clientOf((server) =>
      server.tool("work", { task: "always", inputSchema: z.object({ id: z.number() }), handler: () => "done" }),
    );
    expect(await client.call("work", { id: "x" })).toMatchObject({ resultType: "complete", isError: true });
  });

  it("the extension is advertised exactly when a tool has tasks, beside what the author advertises (F-1)", async () => {
    const without = clientWith("never", () => "done");
    const discovered = await call(without.server, "server/discover");
    expect(discovered.capabilities).not.toHaveProperty("extensions");
    await expect(without.get("t")).rejects.toMatchObject({ code: errorCode.methodNotFound });
    const client = clientWith("auto", () => "done", { capabilities: { extensions: { "a.b/c": { d: 1 } } } });
    expect((await call(client.server, "server/discover")).capabilities).toMatchObject({
      extensions: { [tasksExtension]: {}, "a.b/c": { d: 1 } },
    });
  });

  it("a policy that is none is refused where it is written", () => {
    expect(() => clientWith("sometimes" as never, () => "")).toThrow('tool "work": task: "auto", "always" or "never"');
    expect(() =>
      clientOf((server) => server.tool("work", { task: { mode: "auto", afterMs: -1 }, handler: () => "" })),
    ).toThrow("afterMs");
  });
});

describe("tasks/get, tasks/update and tasks/cancel", () => {
  it("are refused to who did not declare tasks, before any id is looked up (F-13)", async () => {
    const client = clientWith("always", () => "done");
    const none = { capabilities: {} };
    await expect(client.get("no such", none)).rejects.toMatchObject(missing);
    await expect(client.update("no such", {}, none)).rejects.toMatchObject(missing);
    await expect(client.cancel("no such", none)).rejects.toMatchObject(missing);
    await expect(call(client.server, "tasks/get")).rejects.toMatchObject(missing);
  });

  it("an unknown task, one of somebody else and one over its time answer alike (F-13, F-25)", async () => {
    const client = clientWith("always", () => "done", { tasks: { ttlMs: 5, keepMs: 0 } });
    const ann = { caller: { id: "ann" } };
    const taskId = await client.start("work", {}, ann);
    const unknown = { code: errorCode.invalidParams, message: "unknown task" };
    for (const own of [{}, { caller: { id: "bob" } }]) {
      await expect(client.get(taskId, own)).rejects.toMatchObject(unknown);
      await expect(client.update(taskId, {}, own)).rejects.toMatchObject(unknown);
      await expect(client.cancel(taskId, own)).rejects.toMatchObject(unknown);
    }
    await vi.waitFor(() => expect(client.get(taskId, ann)).rejects.toMatchObject(unknown));
    expect(taskId).toMatch(/^[\w-]{32}$/);
  });

  it("the result of a tool that takes scopes is for who still has them (G-4)", async () => {
    const client = clientOf((server) =>
      server.tool("work", { task: "always", scopes: ["work"], handler: () => "done" }),
    );
    const taskId = await client.start("work", {}, { caller: { id: "ann", scopes: ["work"] } });
    await expect(client.get(taskId, { caller: { id: "ann", scopes: [] } })).rejects.toMatchObject({ code: 403 });
  });

  it("tasks/result and tasks/list are of another revision (F-13)", async () => {
    const { server } = clientWith("always", () => "done");
    for (const method of ["tasks/result", "tasks/list"]) {
      await expect(call(server, method, { taskId: "t" }, { capabilities })).rejects.toMatchObject({
        code: errorCode.methodNotFound,
      });
    }
  });
});

describe("how a task ends", () => {
  it("a tool that failed has a result; only an error of the protocol fails a task (F-12)", async () => {
    const errors: unknown[] = [new ToolError("too late"), new Error("secret"), new McpError(-32001, "no", { data: 1 })];
    const client = clientWith("always", () => Promise.reject(errors.shift()));
    const [told, hidden, failed] = [await client.start("work"), await client.start("work"), await client.start("work")];
    expect(await client.rest(told)).toMatchObject({
      status: "completed",
      result: { isError: true, content: [{ text: "too late" }] },
    });
    const { result } = (await client.rest(hidden)) as unknown as { result: CallToolResult };
    expect(JSON.stringify(result)).toMatch(/internal error \(id /);
    expect(await client.rest(failed)).toMatchObject({
      status: "failed",
      statusMessage: "no",
      error: { code: -32001, message: "no", data: 1 },
    });
    expect(await client.get(failed)).not.toHaveProperty("result");
  });

  it("cancelling aborts the handler, is acknowledged as often as it is asked for, and is final (F-20, F-11)", async () => {
    const { promise, resolve } = gate<AbortSignal>();
    const client = clientWith("always", async (ctx) => {
      resolve(ctx.signal);
      await new Promise((end) => ctx.signal.addEventListener("abort", end));
      return "too late";
    });
    const taskId = await client.start("work");
    const signal = await promise;
    const ack = { resultType: "complete", _meta: expect.anything() };
    expect(await client.cancel(taskId)).toEqual(ack);
    expect(signal.aborted).toBe(true);
    expect(await client.cancel(taskId)).toEqual(ack);
    expect(await client.rest(taskId)).toMatchObject({ status: "cancelled" });
    expect(client.told.map(({ status }) => status)).toEqual(["cancelled"]);
  });

  it("a cancelled task starts no further step, even if its handler tries", async () => {
    const effects: string[] = [];
    const { promise: isHalfDone, resolve: arrive } = gate<unknown>();
    const { promise: isOver, resolve: end } = gate<unknown>();
    const client = clientWith("always", async (ctx) => {
      await ctx.once("first", () => void effects.push("first"));
      const aborted = new Promise((abort) => ctx.signal.addEventListener("abort", abort));
      arrive(undefined);
      await aborted;
      await ctx.once("second", () => void effects.push("second")).catch(end);
    });
    const taskId = await client.start("work");
    await isHalfDone;
    await client.cancel(taskId);
    expect(await isOver).toMatchObject({ message: expect.stringContaining("nothing can be stored") });
    expect(effects).toEqual(["first"]);
  });

  it("a result that is too large fails the task, and one that is no JSON is an internal error", async () => {
    const results: unknown[] = ["x".repeat(200), { content: [], structuredContent: 1n }];
    const client = clientWith("always", () => results.shift(), { tasks: { maxResultBytes: 100 } });
    const [large, odd] = [await client.start("work"), await client.start("work")];
    expect(await client.rest(large)).toMatchObject({ status: "failed", error: { message: /at most 100 are kept/ } });
    expect(await client.rest(odd)).toMatchObject({ status: "failed", error: { message: "internal error" } });
  });

  it("over its time to live a task is stopped", async () => {
    const { promise, resolve } = gate<AbortSignal>();
    const client = clientWith(
      "always",
      async (ctx) => {
        resolve(ctx.signal);
        await new Promise(() => {});
      },
      { tasks: { ttlMs: 10, leaseMs: 15, closeGraceMs: 1 } },
    );
    await client.start("work");
    const signal = await promise;
    if (!signal.aborted) await new Promise((end) => signal.addEventListener("abort", end));
  });

  it("its caller may go when it has the handle, and takes a call along that is no task yet (F-22)", async () => {
    const signals: AbortSignal[] = [];
    const { promise, resolve } = gate();
    const client = clientWith("auto", (ctx) => {
      signals.push(ctx.signal);
      return promise.then(() => "done");
    });
    const early = new RecordingExchange();
    const running = client.call("work", {}, { exchange: early });
    early.leave();
    const late = new RecordingExchange();
    const taskId = await client.start("work", {}, { exchange: late });
    late.leave();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    resolve();
    expect(await client.rest(taskId)).toMatchObject({ status: "completed" });
    await running;
  });
});

describe("questions", () => {
  it("are asked on the request before there is a task, and the task knows the answers (F-6)", async () => {
    const { promise: isTask, resolve: becomesTask } = gate();
    const work = async (ctx: Context) => {
      const { name } = await ctx.elicit("Who?", nameForm, { key: "name" });
      await isTask;
      const again = await ctx.elicit(`Sure, ${name}?`, nameForm, { key: "again" });
      return `${name} ${again.name}`;
    };
    const client = clientWith("auto", work);
    // However long this takes, it is not long enough for a task.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const asked = (await client.call("work")) as InputRequiredResult;
    vi.useRealTimers();
    expect(asked).toMatchObject({ resultType: "input_required", inputRequests: { name: {} } });
    expect(asked).not.toHaveProperty("taskId");
    const inputResponses = { name: accept({ name: "Ann" }) };
    const params = { inputResponses, requestState: asked.requestState };
    const handle = await client.call("work", {}, { params });
    expect(handle).toMatchObject({ resultType: "task" });
    expect(handle).not.toHaveProperty("requestState");
    becomesTask();
    const taskId = String(handle.taskId);
    expect(await client.rest(taskId)).toMatchObject({
      status: "input_required",
      inputRequests: { again: { params: { message: "Sure, Ann?" } } },
    });
    await client.update(taskId, { again: accept({ name: "Bob" }) });
    expect(await client.rest(taskId)).toMatchObject({ result: { content: [{ text: "Ann Bob" }] } });
  });

  it("in a task may be answered one by one, and nothing else counts (F-14)", async () => {
    const client = clientWith("always", async (ctx) => {
      const [one, roots] = await Promise.all([
        ctx.elicit("Who?", nameForm, { key: "name" }),
        ctx.roots({ key: "roots" }),
      ]);
      return `${one.name} ${roots.length}`;
    });
    const taskId = await client.start("work");
    const asking = await client.rest(taskId);
    expect(Object.keys(asking.inputRequests as object)).toEqual(["name", "roots"]);
    await client.update(taskId, { roots: { roots: [] }, other: { roots: [] }, name: null });
    expect(Object.keys((await client.get(taskId)).inputRequests as object)).toEqual(["name"]);
    await client.update(taskId, { roots: { roots: [{ uri: "file:///x" }] } });
    await client.update(taskId, { name: accept({ name: "Ann" }) });
    expect(await client.rest(taskId)).toMatchObject({ result: { content: [{ text: "Ann 0" }] } });
    await client.update(taskId, { name: accept({ name: "Bob" }) });
    expect(await client.get(taskId)).toMatchObject({ result: { content: [{ text: "Ann 0" }] } });
  });

  it("whose keys every object has are answered by nothing that an object inherits", async () => {
    const client = clientWith(
      "always",
      async (ctx) => (await ctx.elicit("Who?", nameForm, { key: "constructor" })).name,
    );
    const taskId = await client.start("work");
    await client.rest(taskId);
    await client.update(taskId, { other: null });
    await client.update(taskId, { constructor: accept({ name: "Ann" }) });
    expect(await client.rest(taskId)).toMatchObject({ result: { content: [{ text: "Ann" }] } });
  });

  it("an answer that does not fit its question is refused, and the question stays open (E-29)", async () => {
    const client = clientWith("always", async (ctx) => (await ctx.elicit("Who?", nameForm, { key: "name" })).name);
    const taskId = await client.start("work");
    await client.rest(taskId);
    await expect(client.update(taskId, { name: accept({ name: 1 }) })).rejects.toMatchObject({
      code: errorCode.invalidParams,
      message: /inputResponses "name": "name" must be a string/,
    });
    expect(await client.get(taskId)).toMatchObject({ status: "input_required", inputRequests: { name: {} } });
  });

  it("an answer that only the author's schema refuses is asked for again under a new key (F-14)", async () => {
    const even = z.object({ n: z.number().refine((n) => n % 2 === 0, "must be even") });
    const client = clientWith("always", async (ctx) => (await ctx.elicit("Which?", even, { key: "n" })).n);
    const taskId = await client.start("work");
    await client.rest(taskId);
    await client.update(taskId, { n: accept({ n: 1 }) });
    const again = await client.rest(taskId);
    expect(again.inputRequests).toEqual({
      "n#2": expect.objectContaining({
        params: expect.objectContaining({ message: expect.stringContaining("must be even") }),
      }),
    });
    await client.update(taskId, { "n#2": accept({ n: 2 }) });
    expect(await client.rest(taskId)).toMatchObject({ status: "completed" });
  });

  it("that the client cannot answer fail the task (E-23)", async () => {
    const client = clientWith("always", (ctx) => ctx.elicit("Who?", nameForm));
    const taskId = await client.start("work", {}, { capabilities: { extensions: { [tasksExtension]: {} } } });
    expect(await client.rest(taskId)).toMatchObject({ status: "failed", error: missing });
  });

  it("a refusal reaches the handler, and a raw question its next round (E-21, E-87)", async () => {
    const { inputRequired } = await import("../features/input-required.ts");
    const client = clientOf((server) => {
      server.tool("ask", { task: "always", handler: (_, ctx) => ctx.elicit("Who?", nameForm) });
      server.tool("raw", {
        task: "always",
        handler(_, { state, inputResponses }) {
          if (!state) return inputRequired({ state: { round: 1 } });
          if (!inputResponses) return inputRequired({ state, inputRequests: { where: { method: "roots/list" } } });
          return { state, inputResponses };
        },
      });
    });
    const [ask, raw] = [await client.start("ask"), await client.start("raw")];
    const [key = ""] = Object.keys((await client.rest(ask)).inputRequests as object);
    await client.update(ask, { [key]: { action: "decline" } });
    expect(await client.rest(ask)).toMatchObject({ result: { isError: true, content: [{ text: /declined/ }] } });
    expect(await client.rest(raw)).toMatchObject({ inputRequests: { where: { method: "roots/list", params: {} } } });
    await client.update(raw, { where: { roots: [] } });
    expect(await client.rest(raw)).toMatchObject({
      result: { structuredContent: { state: { round: 1 }, inputResponses: { where: { roots: [] } } } },
    });
  });

  it("an answer that is sent several times at once counts once, and the first one wins (E-28)", async () => {
    const effects: string[] = [];
    const client = clientWith("always", async (ctx) => {
      const { name } = await ctx.elicit("Who?", nameForm, { key: "name" });
      effects.push(name);
      return name;
    });
    const taskId = await client.start("work");
    await client.rest(taskId);
    const names = ["Ann", "Bob", "Ann", "Ann"];
    await Promise.all(names.map((name) => client.update(taskId, { name: accept({ name }) })));
    expect(await client.rest(taskId)).toMatchObject({ result: { content: [{ text: "Ann" }] } });
    expect(effects).toEqual(["Ann"]);
  });

  it("what once did is not done again when the handler runs again (E-31)", async () => {
    let effects = 0;
    const client = clientWith("always", async (ctx) => {
      const id = await ctx.once("effect", () => ++effects);
      const at = await ctx.now();
      const { name } = await ctx.elicit("Who?", nameForm, { key: "name" });
      return `${id} ${name} ${at.getTime() > 0}`;
    });
    const taskId = await client.start("work");
    await client.rest(taskId);
    await client.update(taskId, { name: accept({ name: "Ann" }) });
    expect(await client.rest(taskId)).toMatchObject({ result: { content: [{ text: "1 Ann true" }] } });
    expect(effects).toBe(1);
  });
});

describe("what is told of a task", () => {
  it("progress is its status message, also without a progress token, and log messages are not for tasks (F-22)", async () => {
    const { promise, resolve } = gate();
    const exchange = new RecordingExchange();
    const client = clientWith("always", async (ctx) => {
      ctx.log("info", "nobody hears this");
      ctx.progress(1, 4);
      ctx.progress(2, 4, "half");
      await promise;
      return "done";
    });
    const taskId = await client.start("work", {}, { exchange });
    await vi.waitFor(async () => expect(await client.get(taskId)).toMatchObject({ statusMessage: "half" }));
    resolve();
    expect(await client.rest(taskId)).not.toHaveProperty("statusMessage");
    expect(exchange.sent).toEqual([]);
    expect(client.told.map(({ status }) => status)).toContain("working");
  });

  it("before there is a task, progress goes to the request, and the task begins with what was said last", async () => {
    const { promise, resolve } = gate();
    const exchange = new RecordingExchange();
    const client = clientWith("auto", async (ctx) => {
      ctx.progress(1, 2);
      await promise;
    });
    const running = call(
      client.server,
      "tools/call",
      { name: "work" },
      { capabilities, exchange, meta: { progressToken: 7 } },
    );
    expect(await running).toMatchObject({ resultType: "task", statusMessage: "1 of 2" });
    expect(exchange.sent).toMatchObject([
      { method: "notifications/progress", params: { progressToken: 7, progress: 1 } },
    ]);
    resolve();
  });

  it("who listens hears each state in full, of own tasks only (F-23)", async () => {
    const client = clientWith("always", async (ctx) => (await ctx.elicit("Who?", nameForm, { key: "name" })).name);
    const ann = { caller: { id: "ann" } };
    const own = await client.start("work", {}, ann);
    const other = await client.start("work", {}, { caller: { id: "bob" } });
    const exchange = new RecordingExchange(ann.caller);
    const request = requestOf(
      "subscriptions/listen",
      { notifications: { taskIds: [other, own, "none"] } },
      { capabilities },
    );
    const listening = client.server.dispatch(request, exchange);
    await vi.waitFor(() => expect(exchange.sent).not.toHaveLength(0));
    expect(exchange.sent[0]?.params).toMatchObject({ notifications: { taskIds: [own] } });
    await vi.waitFor(async () => expect((await client.get(own, ann)).status).toBe("input_required"));
    await client.update(own, { name: accept({ name: "Ann" }) }, ann);
    await vi.waitFor(async () => expect((await client.get(own, ann)).status).toBe("completed"));
    exchange.leave();
    await listening;
    const last = exchange.sent.at(-1);
    expect(last?.method).toBe("notifications/tasks");
    const { resultType: _, _meta: __, ...state } = await client.get(own, ann);
    expect(last?.params).toEqual({ ...state, _meta: expect.anything() });
  });

  it("listening for tasks takes the extension (F-13)", async () => {
    const { server } = clientWith("always", () => "done");
    await expect(call(server, "subscriptions/listen", { notifications: { taskIds: ["t"] } })).rejects.toMatchObject(
      missing,
    );
  });
});

describe("limits", () => {
  it("without room for a task, an always tool is refused and an auto tool answers by itself (F-3)", async () => {
    const { promise, resolve } = gate();
    const client = clientOf(
      (server) => {
        for (const task of ["auto", "always"] as const) {
          server.tool(task, { task, handler: () => promise.then(() => "done") });
        }
      },
      { tasks: { maxTasks: 1 } },
    );
    await client.start("always");
    await expect(client.call("always")).rejects.toMatchObject({ data: { retryAfterMs: expect.any(Number) } });
    const running = client.call("auto");
    setTimeout(resolve, 60);
    expect(await running).toMatchObject({ resultType: "complete", content: [{ text: "done" }] });
  });

  it("a journal that grows too large ends the task", async () => {
    const client = clientWith(
      "always",
      async (ctx) => {
        for (let step = 0; ; step++) await ctx.once(`step ${step}`, () => "x".repeat(50));
      },
      { tasks: { maxJournalBytes: 500 } },
    );
    expect(await client.rest(await client.start("work"))).toMatchObject({ result: { isError: true } });
  });

  it("a task that asks for ever is ended", async () => {
    const client = clientWith(
      "always",
      async (ctx) => {
        for (let round = 0; ; round++) await ctx.roots({ key: `round ${round}` });
      },
      { tasks: { maxRounds: 3 } },
    );
    const taskId = await client.start("work");
    let state = await client.rest(taskId);
    for (; state.status === "input_required"; state = await client.rest(taskId)) {
      const [key = ""] = Object.keys(state.inputRequests);
      await client.update(taskId, { [key]: { roots: [] } });
    }
    expect(state).toMatchObject({ status: "failed", error: { message: /asked for 3 times/ } });
  });

  it("an option that is no number is refused", () => {
    expect(() => clientWith("auto", () => "", { tasks: { ttlMs: Number.NaN } })).toThrow("tasks.ttlMs");
  });
});
