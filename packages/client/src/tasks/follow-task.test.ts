// A client against servers whose tasks do what a test wants: what it asks, how often, and what it makes of the answers.
import { type Dispatch, type JsonObject, McpError, type Result } from "@lethe/protocol";
import { revisionNamed } from "@lethe/protocol/revisions";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Connection } from "../call/connection.ts";
import { TransportError } from "../call/transport-error.ts";
import type { Client } from "../connect/client.ts";
import type { ClientOptions } from "../connect/client-options.ts";
import { createClient } from "../connect/create-client.ts";
import type { InputRequestContext } from "../interaction/handlers.ts";

const times = { createdAt: "2026-08-01T00:00:00Z", lastUpdatedAt: "2026-08-01T00:00:00Z" };
const working = { taskId: "t1", status: "working", ...times, ttlMs: 60_000, pollIntervalMs: 1_000 };
const created = { resultType: "task", ...working };
const content = [{ type: "text", text: "done" }];
const completed = { ...working, status: "completed", result: { content } };
const asking = (...keys: string[]) => ({
  ...working,
  status: "input_required",
  inputRequests: Object.fromEntries(keys.map((key) => [key, { method: "roots/list" }])),
});

interface Asked {
  method: string;
  /** ms since the test began */
  at: number;
  params: JsonObject;
}

const clients: Client[] = [];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  vi.useRealTimers();
});

/** A server that answers tools/call with a task, and tasks/get with what `states` holds; the last one stays. */
function start(states: (JsonObject | Error)[], options: ClientOptions = {}, answer: JsonObject = created) {
  const asked: Asked[] = [];
  const begin = performance.now();
  const complete = { resultType: "complete" };
  const dispatch: Dispatch = async ({ method, params }) => {
    const { _meta, ...own } = params;
    asked.push({ method, at: Math.round(performance.now() - begin), params: own });
    if (method === "tools/call") return answer as Result;
    if (method !== "tasks/get") return complete;
    const state = states.length > 1 ? states.shift() : states[0];
    if (state instanceof Error) throw state;
    return { ...complete, ...state };
  };
  const connection: Connection = {
    dispatch,
    era: "modern",
    revision: "2026-07-28",
    traits: revisionNamed("2026-07-28").traits,
    server: { ...complete, supportedVersions: ["2026-07-28"], capabilities: {}, ttlMs: 0, cacheScope: "private" },
    closed: new Promise(() => {}),
    async close() {},
  };
  const client = createClient(connection, "fake", { roots: [], ...options });
  clients.push(client);
  return { client, asked, gets: () => asked.filter(({ method }) => method === "tasks/get").map(({ at }) => at) };
}

/** What a promise settled with, after as much time as it takes. */
async function settled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  let isOver = false;
  void promise
    .catch(() => {})
    .finally(() => {
      isOver = true;
    });
  while (!isOver) await vi.advanceTimersByTimeAsync(50);
  return promise;
}

describe("a call that returns a task", () => {
  test("a call resolves with the result of its task, polled at the server's interval (F-2, F-16)", async () => {
    const { client, asked, gets } = start([working, { ...working, pollIntervalMs: 3_000 }, completed]);
    expect(await settled(client.callTool("work"))).toEqual({ resultType: "complete", content });
    expect(gets()).toEqual([1_000, 2_000, 5_000]);
    expect(asked[1]?.params).toEqual({ taskId: "t1" });
  });

  test("polling backs off if the server names no interval (F-16)", async () => {
    const { pollIntervalMs: _, ...silent } = working;
    const { client, gets } = start([silent, silent, silent, completed], {}, { resultType: "task", ...silent });
    await settled(client.callTool("work"));
    expect(gets()).toEqual([1_000, 2_500, 4_750, 8_125]);
  });

  test("polling is never faster than the client's limit", async () => {
    const hasty = { ...working, pollIntervalMs: 0 };
    const { client, gets } = start([hasty, completed], { tasks: { minPollMs: 200 } }, { ...created, ...hasty });
    await settled(client.callTool("work"));
    expect(gets()).toEqual([200, 400]);
  });

  test("each new state is reported once, and the first one identifies the task", async () => {
    const half = { ...working, statusMessage: "half" };
    const { client } = start([working, half, half, completed]);
    const told: unknown[] = [];
    await settled(
      client.callTool(
        "work",
        {},
        { onTask: ({ taskId, status, statusMessage }) => told.push([taskId, status, statusMessage]) },
      ),
    );
    expect(told).toEqual([
      ["t1", "working", undefined],
      ["t1", "working", "half"],
      ["t1", "completed", undefined],
    ]);
  });

  test("a call rejects with the error that failed its task (F-12)", async () => {
    const error = { code: -32001, message: "no", data: { a: 1 } };
    const { client } = start([{ ...working, status: "failed", error }]);
    await expect(settled(client.callTool("work"))).rejects.toMatchObject(error);
  });

  test("a call rejects if its task was cancelled, has expired, or is malformed", async () => {
    const { client: one } = start([{ ...working, status: "cancelled" }]);
    await expect(settled(one.callTool("work"))).rejects.toMatchObject({ reason: "cancelled" });
    const { client: two } = start([new McpError(-32602, "unknown task")]);
    await expect(settled(two.callTool("work"))).rejects.toMatchObject({ code: -32602 });
    const { client: three } = start([{ ...working, status: "completed" }]);
    await expect(settled(three.callTool("work"))).rejects.toMatchObject({ reason: "invalid" });
    const { client: four } = start([completed], {}, { resultType: "task" });
    await expect(four.callTool("work")).rejects.toThrow("expected a task with an id and a status");
    const { client: five } = start([{ ...working, status: "completed", result: {} }]);
    await expect(settled(five.callTool("work"))).rejects.toThrow('expected "content" to be an array');
  });

  test("a manual call returns the task", async () => {
    const { client } = start([completed]);
    expect(await client.callTool("work", {}, { manual: true })).toEqual(created);
  });

  test("the caller's signal cancels the task (F-20)", async () => {
    const { client, asked } = start([working]);
    const controller = new AbortController();
    const call = client.callTool("work", {}, { signal: controller.signal });
    call.catch(() => {});
    await vi.advanceTimersByTimeAsync(1_500);
    controller.abort();
    await expect(call).rejects.toMatchObject({ reason: "cancelled" });
    await vi.waitFor(() => expect(asked.at(-1)).toMatchObject({ method: "tasks/cancel", params: { taskId: "t1" } }));
  });

  test("closing the client ends the call but not the task", async () => {
    const { client, asked } = start([working]);
    const call = client.callTool("work");
    call.catch(() => {});
    await vi.advanceTimersByTimeAsync(500);
    await client.close();
    await expect(call).rejects.toMatchObject({ reason: "closed" });
    expect(asked.map(({ method }) => method)).toEqual(["tools/call"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("the client stops following a task after its time limit", async () => {
    const { client } = start([working], { tasks: { maxMs: 10_000 } });
    await expect(settled(client.callTool("work"))).rejects.toMatchObject({ reason: "timeout" });
  });
});

describe("input requests of a task", () => {
  test("the client's handlers answer each key once (F-15)", async () => {
    const roots = vi.fn((_: InputRequestContext) => [{ uri: "file:///work" }]);
    const states = [asking("a", "b"), asking("a", "b"), asking("b", "c"), working, completed];
    const { client, asked } = start(states, { roots });
    await settled(client.callTool("work"));
    const answers = asked.filter(({ method }) => method === "tasks/update").map(({ params }) => params.inputResponses);
    const answer = { roots: [{ uri: "file:///work" }] };
    expect(answers).toEqual([{ a: answer, b: answer }, { c: answer }]);
    expect(roots.mock.calls.map(([context]) => context)).toMatchObject(
      ["a", "b", "c"].map((key) => ({ server: "fake", method: "tools/call", target: "work", key })),
    );
  });

  test("input requests that a task starts with are answered at once", async () => {
    const { client, gets } = start([asking("a"), completed], {}, { ...created, status: "input_required" });
    await settled(client.callTool("work"));
    expect(gets()).toEqual([0, 0]);
  });

  test("an input request that the client did not declare fails the call (E-23)", async () => {
    const elicit = { method: "elicitation/create", params: { message: "?", requestedSchema: { properties: {} } } };
    const { client } = start([{ ...asking(), inputRequests: { a: elicit } }]);
    await expect(settled(client.callTool("work"))).rejects.toMatchObject({ reason: "invalid" });
  });

  test("the number of rounds is limited", async () => {
    let count = 0;
    const states = Array.from({ length: 9 }, () => asking(`k${count++}`));
    const { client } = start(states, { tasks: { maxRounds: 3 } });
    await expect(settled(client.callTool("work"))).rejects.toThrow("still asks after 3 rounds");
  });
});

describe("a server that is temporarily unavailable", () => {
  const lost = (): Error => new TransportError("lost", "gone");

  test("polling backs off until the server is available again (F-16)", async () => {
    const busy = new McpError(-32603, "busy", { data: { retryAfterMs: 4_000 } });
    const { client, gets } = start([working, lost(), lost(), busy, completed]);
    expect(await settled(client.callTool("work"))).toMatchObject({ content });
    expect(gets()).toEqual([1_000, 2_000, 2_500, 3_500, 7_500]);
  });

  test("polling stops if the server stays unavailable, or at once for a permanent error", async () => {
    const { client } = start([lost()], { tasks: { maxOutageMs: 5_000 } });
    await expect(settled(client.callTool("work"))).rejects.toMatchObject({ reason: "lost" });
    const { client: other, gets } = start([new TransportError("unauthorized", "no", { status: 401 })]);
    await expect(settled(other.callTool("work"))).rejects.toMatchObject({ reason: "unauthorized" });
    expect(gets()).toHaveLength(1);
  });

  test("a temporary error status is retried", async () => {
    const status = (code: number) => new TransportError("status", "no", { status: code });
    const { client } = start([status(503), status(429), completed]);
    expect(await settled(client.callTool("work"))).toMatchObject({ content });
    const { client: other } = start([status(404)]);
    await expect(settled(other.callTool("work"))).rejects.toMatchObject({ status: 404 });
  });
});

describe("a server that stops", () => {
  test("polling continues after the error of a request that the stopping server did not finish", async () => {
    const stopped = new McpError(-32603, "the server stopped", { data: { reason: "lost" } });
    const { client } = start([working, stopped, completed]);
    expect(await settled(client.callTool("work"))).toMatchObject({ content });
  });
});

describe("finding a task again", () => {
  test("another client finds a task by its handle", async () => {
    const { client, gets } = start([working, completed]);
    const kept = JSON.parse(JSON.stringify({ ...created, tool: "work" }));
    const task = client.task(kept);
    expect(task.handle).toEqual({ taskId: "t1", tool: "work" });
    expect(await settled(task.result())).toMatchObject({ content });
    expect(gets()).toEqual([0, 1_000]);
  });

  test("a task can be read, answered and cancelled manually", async () => {
    const { client, asked } = start([asking("a")]);
    const task = client.task({ taskId: "t1" });
    expect(await task.get()).toMatchObject({ status: "input_required" });
    await task.update({ a: { roots: [] } });
    await task.cancel();
    expect(asked.map(({ method, params }) => [method, params])).toEqual([
      ["tasks/get", { taskId: "t1" }],
      ["tasks/update", { taskId: "t1", inputResponses: { a: { roots: [] } } }],
      ["tasks/cancel", { taskId: "t1" }],
    ]);
  });
});
