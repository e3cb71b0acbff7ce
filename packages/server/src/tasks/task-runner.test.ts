// Tasks from a client's view: create, get, update and cancel.
import type { CallToolResult, InputRequiredResult } from "@lethe/protocol";
import { errorCode, McpError, overloaded, tasksExtension } from "@lethe/protocol";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import type { Context } from "../features/context.ts";
import { ToolError } from "../features/tool-error.ts";
import { call } from "../testing/call.ts";
import { RecordingExchange, requestOf } from "../testing/recording-exchange.ts";
import { storeUnavailable } from "./task-store.ts";
import { capabilities, createTaskClient, type TaskClient } from "./testing/task-client.ts";
import { createSharedStore, wrapStore } from "./testing/wrap-store.ts";

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

describe("calls that become tasks", () => {
  it("no call becomes a task by default, not even with the params of another revision (F-2)", async () => {
    const client = clientWith("never", () => "done");
    const result = await client.call("work", {}, { params: { task: { ttl: 1000 } } });
    expect(result).toMatchObject({ resultType: "complete", content: [{ text: "done" }] });
  });

  it("a long call of an auto tool becomes a task if its request declares the tasks extension (F-2, F-4)", async () => {
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

  it("an auto tool returns its result directly if it is quick or the caller did not declare tasks (F-3)", async () => {
    const client = clientWith("auto", (ctx) =>
      ctx.once("wait", () => new Promise((end) => setTimeout(end, 40, "done"))),
    );
    const quick = clientWith("auto", () => "done");
    expect(await quick.call("work")).toMatchObject({ resultType: "complete" });
    expect(await client.call("work", {}, { capabilities: {} })).toMatchObject({ content: [{ text: "done" }] });
    expect(await client.call("work", {}, { capabilities: { tasks: {} } })).toMatchObject({ resultType: "complete" });
  });

  it("an always tool creates a task at once, and rejects callers that did not declare tasks (F-3)", async () => {
    const client = clientWith("always", () => "done");
    expect(await client.call("work")).toMatchObject({ resultType: "task" });
    await expect(client.call("work", {}, { capabilities: {} })).rejects.toMatchObject({
      ...missing,
      data: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } },
    });
  });

  it("arguments that do not fit the schema create no task (J-9)", async () => {
    const client = clientOf((server) =>
      server.tool("work", { task: "always", inputSchema: z.object({ id: z.number() }), handler: () => "done" }),
    );
    expect(await client.call("work", { id: "x" })).toMatchObject({ resultType: "complete", isError: true });
  });

  it("advertises the tasks extension exactly when a tool has tasks, beside the author's own extensions (F-1)", async () => {
    const without = clientWith("never", () => "done");
    const discovered = await call(without.server, "server/discover");
    expect(discovered.capabilities).not.toHaveProperty("extensions");
    await expect(without.get("t")).rejects.toMatchObject({ code: errorCode.methodNotFound });
    const client = clientWith("auto", () => "done", { capabilities: { extensions: { "a.b/c": { d: 1 } } } });
    expect((await call(client.server, "server/discover")).capabilities).toMatchObject({
      extensions: { [tasksExtension]: {}, "a.b/c": { d: 1 } },
    });
  });

  it("rejects an invalid task policy when the tool is defined", () => {
    expect(() => clientWith("sometimes" as never, () => "")).toThrow('tool "work": task: "auto", "always" or "never"');
    expect(() =>
      clientOf((server) => server.tool("work", { task: { mode: "auto", afterMs: -1 }, handler: () => "" })),
    ).toThrow("afterMs");
  });
});

describe("tasks/get, tasks/update and tasks/cancel", () => {
  it("rejects task methods from callers that did not declare tasks, before looking up any id (F-13)", async () => {
    const client = clientWith("always", () => "done");
    const none = { capabilities: {} };
    await expect(client.get("no such", none)).rejects.toMatchObject(missing);
    await expect(client.update("no such", {}, none)).rejects.toMatchObject(missing);
    await expect(client.cancel("no such", none)).rejects.toMatchObject(missing);
    await expect(call(client.server, "tasks/get")).rejects.toMatchObject(missing);
  });

  it("answers alike for an unknown task, another caller's task and an expired task (F-13, F-25)", async () => {
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

  it("a caller that loses a scope of the tool also loses access to the result of its task (G-4)", async () => {
    const client = clientOf((server) =>
      server.tool("work", { task: "always", scopes: ["work"], handler: () => "done" }),
    );
    const taskId = await client.start("work", {}, { caller: { id: "ann", scopes: ["work"] } });
    await expect(client.get(taskId, { caller: { id: "ann", scopes: [] } })).rejects.toMatchObject({ code: 403 });
  });

  it("does not serve tasks/result and tasks/list, which belong to another revision (F-13)", async () => {
    const { server } = clientWith("always", () => "done");
    for (const method of ["tasks/result", "tasks/list"]) {
      await expect(call(server, method, { taskId: "t" }, { capabilities })).rejects.toMatchObject({
        code: errorCode.methodNotFound,
      });
    }
  });
});

describe("end of a task", () => {
  it("a failed tool completes its task with a result, and only a protocol error fails a task (F-12)", async () => {
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

  it("tasks/cancel aborts the handler, is acknowledged every time, and is final (F-20, F-11)", async () => {
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

  it("fails a task whose result is too large or not JSON, the latter with an internal error", async () => {
    const results: unknown[] = ["x".repeat(200), { content: [], structuredContent: 1n }];
    const client = clientWith("always", () => results.shift(), { tasks: { maxResultBytes: 100 } });
    const [large, odd] = [await client.start("work"), await client.start("work")];
    expect(await client.rest(large)).toMatchObject({ status: "failed", error: { message: /at most 100 are kept/ } });
    expect(await client.rest(odd)).toMatchObject({ status: "failed", error: { message: "internal error" } });
  });

  it("keeps only the code of an error that is larger than a result may be", async () => {
    const fail = () => {
      throw new McpError(-32_050, "no", { data: { text: "x".repeat(200) } });
    };
    const client = clientWith("always", fail, { tasks: { maxResultBytes: 100 } });
    const end = await client.rest(await client.start("work"));
    expect(end).toMatchObject({
      status: "failed",
      error: { code: -32_050, message: /error has \d+ bytes, at most 100/ },
    });
    expect(JSON.stringify(end)).not.toContain("xxx");
  });

  it("stops a task when its time to live has passed", async () => {
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

  it("a caller may disconnect once it has the task, and aborts a call that is not yet a task (F-22)", async () => {
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

describe("input requests of a task", () => {
  it("sends input requests on the original request until it becomes a task, and the task keeps the answers (F-6)", async () => {
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

  it("accepts the responses of a task one by one and ignores unknown keys (F-14)", async () => {
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

  it("takes no inherited property for a response, even if an input request has its name as key", async () => {
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

  it("rejects a response that does not fit its input request, which stays open (E-29)", async () => {
    const client = clientWith("always", async (ctx) => (await ctx.elicit("Who?", nameForm, { key: "name" })).name);
    const taskId = await client.start("work");
    await client.rest(taskId);
    await expect(client.update(taskId, { name: accept({ name: 1 }) })).rejects.toMatchObject({
      code: errorCode.invalidParams,
      message: /inputResponses "name": "name" must be a string/,
    });
    expect(await client.get(taskId)).toMatchObject({ status: "input_required", inputRequests: { name: {} } });
  });

  it("repeats an input request under a new key when only the author's schema rejects the response (F-14)", async () => {
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

  it("fails a task whose input request the client cannot handle (E-23)", async () => {
    const client = clientWith("always", (ctx) => ctx.elicit("Who?", nameForm));
    const taskId = await client.start("work", {}, { capabilities: { extensions: { [tasksExtension]: {} } } });
    expect(await client.rest(taskId)).toMatchObject({ status: "failed", error: missing });
  });

  it("a decline reaches the handler, and the response to a raw input request reaches its next round (E-21, E-87)", async () => {
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

  it("counts a response that is sent several times at once only once, and the first one wins (E-28)", async () => {
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

  it("does not repeat a once effect when the handler of a task runs again (E-31)", async () => {
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

describe("task notifications", () => {
  it("progress becomes the status message of a task, also without a progress token, and log messages are dropped (F-22)", async () => {
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

  it("sends progress on the request until it becomes a task, which starts with the latest progress", async () => {
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

  it("a subscriber gets each state in full, and only of its own tasks (F-23)", async () => {
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

  it("rejects a task subscription without the tasks extension (F-13)", async () => {
    const { server } = clientWith("always", () => "done");
    await expect(call(server, "subscriptions/listen", { notifications: { taskIds: ["t"] } })).rejects.toMatchObject(
      missing,
    );
  });
});

describe("task limits", () => {
  it("at the task limit, an always tool is rejected and an auto tool returns its result directly (F-3)", async () => {
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

  it("ends a task whose journal grows too large", async () => {
    const client = clientWith(
      "always",
      async (ctx) => {
        for (let step = 0; ; step++) await ctx.once(`step ${step}`, () => "x".repeat(50));
      },
      { tasks: { maxJournalBytes: 500 } },
    );
    expect(await client.rest(await client.start("work"))).toMatchObject({ result: { isError: true } });
  });

  it("ends a task that sends input requests without end", async () => {
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

  it("rejects an option that is not a number", () => {
    expect(() => clientWith("auto", () => "", { tasks: { ttlMs: Number.NaN } })).toThrow("tasks.ttlMs");
  });
});

describe("steps and attempts", () => {
  it("passes the same idempotency key to a step in every attempt, another key to each step, and the fencing number", async () => {
    const steps: [string, string, number][] = [];
    const client = clientOf((server) =>
      server.tool("work", {
        task: { mode: "always", attempts: 2 },
        async handler(_: unknown, ctx) {
          await ctx.once("a", ({ idempotencyKey, fence }) => void steps.push(["a", idempotencyKey, fence]));
          await ctx.once("b", ({ idempotencyKey, fence }) => {
            steps.push(["b", idempotencyKey, fence]);
            if (steps.length === 2) throw overloaded("busy", 1);
          });
          return "done";
        },
      }),
    );
    const taskId = await client.start("work");
    expect(await client.rest(taskId)).toMatchObject({ status: "completed" });
    expect(steps.map(([name, , fence]) => `${name} ${fence}`)).toEqual(["a 1", "b 1", "b 2"]);
    expect(steps[1]?.[1]).toBe(steps[2]?.[1]);
    expect(steps[0]?.[1]).not.toBe(steps[1]?.[1]);
  });

  it("fails a task whose handler fails with a retryable error more often than `attempts` says", async () => {
    let runs = 0;
    const client = clientOf((server) =>
      server.tool("work", {
        task: { mode: "always", attempts: 2 },
        handler() {
          runs += 1;
          throw overloaded("busy", 1);
        },
      }),
    );
    expect(await client.rest(await client.start("work"))).toMatchObject({
      status: "failed",
      error: { message: "busy" },
    });
    expect(runs).toBe(2);
  });

  it("a plain call passes a key to its step, with the fencing number 0", async () => {
    const steps: unknown[] = [];
    const client = clientWith("never", (ctx) => ctx.once("a", (step) => void steps.push(step)));
    await client.call("work");
    expect(steps).toEqual([{ idempotencyKey: expect.stringMatching(/:once:a$/), fence: 0 }]);
  });

  it("runs a task once whose acquisition was answered too late, and never one whose creation failed", async () => {
    const store = createSharedStore();
    let mustFail = true;
    const lossy = wrapStore(store, {
      async create(task, options) {
        const created = await store.create(task, options);
        if (!mustFail) return created;
        mustFail = false;
        throw storeUnavailable();
      },
    });
    const runs: string[] = [];
    const client = clientOf(
      (server) =>
        server.tool("work", {
          task: "always",
          inputSchema: z.object({ id: z.string() }),
          handler: ({ id }) => void runs.push(id),
        }),
      { tasks: { store: lossy, leaseMs: 60 } },
    );
    await expect(client.call("work", { id: "refused" })).rejects.toMatchObject({
      data: { reason: "task_store_unavailable" },
    });
    expect(await client.rest(await client.start("work", { id: "accepted" }))).toMatchObject({ status: "completed" });
    await vi.waitFor(async () => expect(await store.counts()).toMatchObject({ live: 0, ended: 2 }), 5_000);
    expect(runs).toEqual(["accepted"]);
  });
});
