// The legacy edge in front of a core that is not built with this package (D.4).
import { setImmediate } from "node:timers/promises";
import {
  type DiscoverResult,
  type Dispatch,
  type Exchange,
  type JsonObject,
  McpError,
  method,
  onAbort,
  type Result,
  tasksExtension,
} from "@lethe/protocol";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createKeyRing } from "../seal/key-ring.ts";
import { describeMatrix, fetchPlatform } from "../testing/http-platforms.ts";
import { begin, messagesOf, take } from "../testing/legacy-client.ts";
import { createLegacyEdge } from "./legacy-edge.ts";
import type { LegacyOptions } from "./shared/legacy-options.ts";
import { createMemorySessionStore, type SessionState, type SessionStore } from "./shared/session-store.ts";

const info = { name: "foreign", version: "1" };
const discovered: DiscoverResult = {
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: {} },
  ttlMs: 0,
  cacheScope: "private",
};

/** Answers tools/call as given, and every other method correctly. */
function serve(answer: Dispatch, options: LegacyOptions = {}) {
  const dispatch: Dispatch = async (request, exchange) =>
    request.method === method.discover ? discovered : answer(request, exchange);
  const legacy = createLegacyEdge({ dispatch, info, ring: createKeyRing() }, options);
  onTestFinished(() => legacy?.close());
  return { dispatch, legacy };
}

describeMatrix("a legacy edge in front of another implementation of the core", (platform) => {
  it("names the server in initialize if the core does not", async () => {
    await using client = await platform.open(serve(() => Promise.reject(new Error("not called"))));
    expect((await begin(client)).initialized).toMatchObject({ serverInfo: info });
  });

  it("reports an error of the core without showing it to the client", async () => {
    const onError = vi.fn();
    const failure = new Error("secret");
    await using client = await platform.open(serve(() => Promise.reject(failure), { onError }));
    const answer = await (await begin(client)).request("tools/call", { name: "a" });
    expect(answer).toMatchObject({ error: { code: -32603 } });
    expect(JSON.stringify(answer)).not.toContain("secret");
    expect(onError).toHaveBeenCalledExactlyOnceWith(failure);
  });
});

it("gives each announcement of changed roots its own id in every session, and later requests carry it as JSON", async () => {
  const seen: unknown[] = [];
  await using client = await fetchPlatform.open(
    serve(async (request) => {
      seen.push(JSON.parse(JSON.stringify(request)).rootsVersion);
      return { resultType: "complete", content: [] };
    }),
  );
  const roots = { roots: { listChanged: true } };
  const [one, two] = [await begin(client, "2025-11-25", roots), await begin(client, "2025-11-25", roots)];
  await one.request("tools/call", { name: "a" });
  for (const session of [one, two, one]) {
    await session.post({ jsonrpc: "2.0", method: "notifications/roots/list_changed" });
    await session.request("tools/call", { name: "a" });
    await session.request("tools/call", { name: "a" });
  }
  const [none, first, again, second, , third] = seen;
  expect([none, again]).toEqual([undefined, first]);
  expect(new Set([first, second, third].filter((id) => typeof id === "string")).size).toBe(3);
});

describe("a legacy edge whose core returns input_required", () => {
  const call = { jsonrpc: "2.0", id: 5, method: "tools/call", params: { name: "a" } };
  const question = { method: "roots/list" as const };
  const asking: Result = { resultType: "input_required", requestState: "s" };

  it("calls the core again with its state, without responses if it requested no input (E-24, E-25)", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    try {
      const calls: unknown[] = [];
      const times: number[] = [];
      await using client = await fetchPlatform.open(
        serve(async ({ params: { _meta, ...params } }) => {
          times.push(Date.now());
          calls.push(params);
          return calls.length === 3 ? { resultType: "complete", content: [] } : asking;
        }),
      );
      const answer = (await begin(client)).request("tools/call", { name: "a" });
      while (calls.length < 3) await vi.advanceTimersByTimeAsync(50);
      expect(await answer).toMatchObject({ result: { content: [] } });
      expect(calls).toEqual([{ name: "a" }, { name: "a", requestState: "s" }, { name: "a", requestState: "s" }]);
      expect(times.map((time) => time - (times[0] ?? 0))).toEqual([0, 250, 750]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("marks the states that the edge kept, and drops a state that a legacy client sends (E-28)", async () => {
    const seen: unknown[] = [];
    await using client = await fetchPlatform.open(
      serve(async ({ params }, { keepsState }) => {
        seen.push([params.requestState, keepsState]);
        return seen.length === 1 ? { ...asking, inputRequests: {} } : { resultType: "complete", content: [] };
      }),
    );
    await (await begin(client)).request("tools/call", { name: "a", requestState: "own" });
    expect(seen).toEqual([
      [undefined, false],
      ["s", true],
    ]);
  });

  it("sends no input request for a call that was cancelled in the meantime (D-27)", async () => {
    let ask = (): void => {};
    const calls: unknown[] = [];
    await using client = await fetchPlatform.open(
      serve(async (request) => {
        calls.push(request);
        await new Promise<void>((resolve) => {
          ask = resolve;
        });
        return { ...asking, inputRequests: { roots: question } };
      }),
    );
    const old = await begin(client, "2025-11-25", { roots: {} });
    const answer = old.post(call);
    await vi.waitUntil(() => calls.length === 1, { interval: 1 });
    await old.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5 } });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      ask();
      await vi.advanceTimersByTimeAsync(10_000);
    } finally {
      vi.useRealTimers();
    }
    const { headers, text } = await answer;
    expect(headers.get("content-type")).toBe("text/event-stream");
    const told = await text();
    expect(told).not.toContain('"result"');
    expect(told).not.toContain("roots/list");
    expect(calls).toHaveLength(1);
  });

  it("fails both of two input requests when the client answers one with an error, and cancels the other", async () => {
    const sample = { method: "sampling/createMessage" as const, params: { messages: [], maxTokens: 1 } };
    await using client = await fetchPlatform.open(
      serve(async () => ({ ...asking, inputRequests: { roots: question, sample } })),
    );
    const old = await begin(client, "2025-11-25", { roots: {}, sampling: {} });
    const messages = messagesOf(await old.open(call).answer);
    const [roots, sampling] = [await take(messages), await take(messages)];
    await old.post({ jsonrpc: "2.0", id: roots.id, error: { code: -32603, message: "no disk" } });
    expect(await take(messages)).toMatchObject({
      method: "notifications/cancelled",
      params: { requestId: sampling.id },
    });
    expect(await take(messages)).toMatchObject({ id: 5, error: { message: expect.stringContaining("no disk") } });
  });

  it("takes the first response to an input request and ignores later ones (E-28)", async () => {
    const answers: unknown[] = [];
    await using client = await fetchPlatform.open(
      serve(
        async ({ params }) => {
          if (!params.inputResponses) return { ...asking, inputRequests: { roots: question } };
          answers.push(params.inputResponses);
          return { resultType: "complete", content: [] };
        },
        { onWarning: () => {} },
      ),
    );
    const old = await begin(client, "2025-11-25", { roots: {} });
    const messages = messagesOf(await old.open(call).answer);
    const { id } = await take(messages);
    const answer = (uri: string) => old.post({ jsonrpc: "2.0", id, result: { roots: [{ uri }] } });
    await answer("file:///a");
    for (const uri of ["file:///b", "file:///a"]) expect((await answer(uri)).status).toBe(202);
    expect(await take(messages)).toMatchObject({ id: 5, result: { content: [] } });
    await answer("file:///b");
    expect(answers).toEqual([{ roots: { roots: [{ uri: "file:///a" }] } }]);
  });

  it("rejects input requests beyond the limit, and all of them without a session", async () => {
    const both = { ...asking, inputRequests: { one: question, two: question } };
    await using client = await fetchPlatform.open(serve(async () => both, { maxInputRequests: 1 }));
    const messages = messagesOf(await (await begin(client, "2025-11-25", { roots: {} })).open(call).answer);
    expect(await take(messages)).toMatchObject({ method: "roots/list" });
    expect(await take(messages)).toMatchObject({ method: "notifications/cancelled" });
    expect(await take(messages)).toMatchObject({
      error: { message: expect.stringContaining("at most 1 input requests") },
    });
    await using stateless = await fetchPlatform.open(serve(async () => both, { sessions: "none" }));
    const alone = await begin(stateless, "2025-11-25", { roots: {} });
    expect(await alone.request("tools/call", { name: "a" })).toMatchObject({ error: { code: -32600 } });
  });

  it("gives one URL one elicitation id, and rejects other input requests if the client cannot receive any (D-39)", async () => {
    const visit = { method: "elicitation/create" as const, params: { mode: "url", message: "Go", url: "https://a" } };
    let rounds = 0;
    const serving = serve(async () => {
      rounds++;
      if (rounds === 3) return { resultType: "complete", content: [] };
      return { ...asking, inputRequests: rounds < 3 ? { visit } : { visit, roots: question } };
    });
    await using client = await fetchPlatform.open(serving);
    const old = await begin(client, "2025-11-25", { elicitation: { url: {} }, roots: {} });
    const messages = messagesOf(await old.open(call).answer);
    const ids: unknown[] = [];
    for (let round = 0; round < 2; round++) {
      const { id, params } = await take(messages);
      ids.push((params as JsonObject).elicitationId);
      await old.post({ jsonrpc: "2.0", id, result: { action: "accept" } });
    }
    expect(ids[0]).toBe(ids[1]);
    expect(await take(messages)).toMatchObject({ params: { elicitationId: ids[0] } });
    expect(await take(messages)).toMatchObject({ id: 5, result: {} });
    const answer = await old.post(call, { accept: "application/json" });
    expect(await answer.json()).toMatchObject({ error: { code: -32600 } });
  });

  it("lets a call run without a time limit if callTimeoutMs is 0", async () => {
    const slow: Dispatch = () =>
      new Promise((resolve) => setTimeout(resolve, 20, { resultType: "complete", content: [] }));
    await using client = await fetchPlatform.open(serve(slow, { callTimeoutMs: 0 }));
    expect(await (await begin(client)).request("tools/call", { name: "a" })).toMatchObject({ result: {} });
  });

  it("ends endless rounds of input requests, and rejects input requests of other methods (E-20)", async () => {
    await using client = await fetchPlatform.open(
      serve(async () => ({ ...asking, inputRequests: { roots: question } }), { maxRounds: 0 }),
    );
    const old = await begin(client, "2025-11-25", { roots: {} });
    expect(await old.request("tools/call", { name: "a" })).toMatchObject({
      error: { code: -32603, message: expect.stringContaining("more than 0 times") },
    });
    expect(await old.request("completion/complete")).toMatchObject({
      error: { code: -32603, message: expect.stringContaining("may not ask") },
    });
  });

  it("fails a call whose core returns a task that the client did not ask for (F-2)", async () => {
    await using client = await fetchPlatform.open(serve(async () => ({ resultType: "task", taskId: "t" })));
    const old = await begin(client);
    expect(await old.request("tools/call", { name: "a" })).toMatchObject({
      error: { code: -32603, message: expect.stringContaining('"task"') },
    });
  });
});

describe("a legacy edge whose core is slow to confirm a subscription", () => {
  const acknowledged = {
    jsonrpc: "2.0" as const,
    method: "notifications/subscriptions/acknowledged",
    params: { notifications: { resourceSubscriptions: [] } },
  };
  const updated = (uri: string) => ({
    jsonrpc: "2.0" as const,
    method: "notifications/resources/updated",
    params: { uri },
  });

  it("reports no error of a subscription that fails after it was cancelled", async () => {
    const onError = vi.fn();
    let listening = 0;
    let stopped = 0;
    const dispatch: Dispatch = async (request, exchange) => {
      if (request.method === method.discover)
        return { ...discovered, capabilities: { resources: { subscribe: true } } };
      listening += 1;
      return new Promise((_, reject) => {
        onAbort(exchange, () => {
          stopped += 1;
          reject(new Error("cancelled"));
        });
        exchange.notify(acknowledged);
      });
    };
    const legacy = createLegacyEdge({ dispatch, info, ring: createKeyRing() }, { onError });
    await using client = await fetchPlatform.open({ dispatch, legacy });
    const old = await begin(client);
    const { answer, leave } = old.get();
    await answer;
    await vi.waitUntil(() => listening === 1, { interval: 1 });
    expect(await old.request("resources/subscribe", { uri: "test://a" })).toMatchObject({ result: {} });
    await vi.waitUntil(() => stopped === 1, { interval: 1 });
    await setImmediate();
    expect(onError).not.toHaveBeenCalled();
    leave();
  });

  it("forwards only the notifications of the last subscription, in any order of confirmation (D-26)", async () => {
    const listening: { exchange: Exchange; isStopped: boolean }[] = [];
    const capabilities = { resources: { subscribe: true } };
    const dispatch: Dispatch = async (request, exchange) => {
      if (request.method === method.discover) return { ...discovered, capabilities };
      const feed = { exchange, isStopped: false };
      listening.push(feed);
      onAbort(exchange, () => {
        feed.isStopped = true;
      });
      return new Promise(() => {});
    };
    const legacy = createLegacyEdge({ dispatch, info, ring: createKeyRing() });
    await using client = await fetchPlatform.open({ dispatch, legacy });
    const old = await begin(client);
    const { answer, leave } = old.get();
    const told = messagesOf(await answer);
    const begun = async (count: number) => vi.waitUntil(() => listening.length === count, { interval: 1 });
    await begun(1);
    listening[0]?.exchange.notify(acknowledged);
    const subscribing = old.request("resources/subscribe", { uri: "test://a" }, 1);
    await begun(2);
    const again = old.request("resources/subscribe", { uri: "test://b" }, 2);
    await begun(3);
    listening[2]?.exchange.notify(acknowledged);
    listening[1]?.exchange.notify(acknowledged);
    expect([await subscribing, await again]).toMatchObject([{ result: {} }, { result: {} }]);
    expect(listening.map(({ isStopped }) => isStopped)).toEqual([true, true, false]);
    for (const { exchange } of listening) exchange.notify(updated(`test://${listening.length}`));
    listening[2]?.exchange.notify(updated("test://last"));
    expect([await take(told), await take(told)]).toMatchObject([
      { params: { uri: "test://3" } },
      { params: { uri: "test://last" } },
    ]);
    leave();
  });

  it("answers resources/subscribe even if the core never confirms", async () => {
    const capabilities = { resources: { subscribe: true } };
    const dispatch: Dispatch = async ({ method: name }) =>
      name === method.discover ? { ...discovered, capabilities } : new Promise(() => {});
    const legacy = createLegacyEdge({ dispatch, info, ring: createKeyRing() });
    await using client = await fetchPlatform.open({ dispatch, legacy });
    const old = await begin(client);
    const { answer, leave } = old.get();
    await answer;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      let isAnswered = false;
      const subscribing = old.request("resources/subscribe", { uri: "test://a" }).finally(() => {
        isAnswered = true;
      });
      for (let turn = 0; turn < 60 && !isAnswered; turn++) await vi.advanceTimersByTimeAsync(100);
      expect(await subscribing).toMatchObject({ result: {} });
    } finally {
      vi.useRealTimers();
    }
    leave();
  });
});

interface Page {
  tasks: { taskId: string }[];
  nextCursor?: string;
}

describe("a legacy edge whose core has tasks", () => {
  const capabilities = { tools: {}, extensions: { [tasksExtension]: {} } };
  const task = { taskId: "t", createdAt: "2026-07-28T00:00:00Z", lastUpdatedAt: "2026-07-28T00:00:00Z", ttlMs: null };
  const ids = Array.from({ length: 1_000 }, (_, index) => `t${index}`);
  const call = { name: "a", task: {} };

  function serveTasks(answers: Readonly<Record<string, Dispatch>>, options: LegacyOptions = {}) {
    const dispatch: Dispatch = async (request, exchange) =>
      request.method === method.discover
        ? { ...discovered, capabilities }
        : (answers[request.method] as Dispatch)(request, exchange);
    return { dispatch, legacy: createLegacyEdge({ dispatch, info, ring: createKeyRing() }, options) };
  }

  it("rejects tasks/cancel if the task ends before it is cancelled (D-38)", async () => {
    const statuses = ["working", "completed"];
    const answers = {
      "tasks/get": async () => ({ resultType: "complete" as const, ...task, status: statuses.shift(), result: {} }),
      "tasks/cancel": async () => ({ resultType: "complete" as const }),
    };
    await using client = await fetchPlatform.open(serveTasks(answers));
    expect(await (await begin(client)).request("tasks/cancel", { taskId: "t" })).toMatchObject({
      error: { code: -32602, message: expect.stringContaining("completed") },
    });
  });

  it("notifies the status of the newest tasks of a session, and keeps a limited number", async () => {
    const listening: unknown[] = [];
    let state: SessionState = { tasks: ids };
    const store: SessionStore = {
      ...createMemorySessionStore(),
      get: () => state,
      update(_, change) {
        state = change(state);
      },
    };
    const answers: Record<string, Dispatch> = {
      "tools/call": async () => ({ resultType: "task", ...task, status: "working" }),
      "subscriptions/listen": ({ params }) => {
        listening.push((params.notifications as JsonObject).taskIds);
        return new Promise(() => {});
      },
    };
    await using client = await fetchPlatform.open(serveTasks(answers, { store }));
    const old = await begin(client);
    const { answer, leave } = old.get();
    await answer;
    await vi.waitUntil(() => listening.length === 1, { interval: 1 });
    expect(listening).toEqual([ids.slice(-100)]);
    expect(await old.request("tools/call", call)).toMatchObject({ result: { task: { taskId: "t", ttl: null } } });
    expect(state.tasks).toEqual([...ids.slice(1), "t"]);
    leave();
  });

  it("lists the tasks of the core page by page (D-38)", async () => {
    const store: SessionStore = { ...createMemorySessionStore(), get: () => ({ tasks: ids.slice(0, 150) }) };
    const getTask: Dispatch = async ({ params: { taskId } }) => {
      if (taskId === "t1") throw new McpError(-32602, "unknown task");
      return { resultType: "complete", ...task, taskId, status: "working" };
    };
    await using client = await fetchPlatform.open(serveTasks({ "tasks/get": getTask }, { store }));
    const old = await begin(client);
    const list = async (params: JsonObject) => (await old.request("tasks/list", params)) as { result: Page };
    const { result: first } = await list({});
    expect([first.tasks.length, first.nextCursor]).toEqual([99, "100"]);
    const { result: last } = await list({ cursor: "100" });
    expect([last.tasks[0]?.taskId, last.tasks.length, last.nextCursor]).toEqual(["t100", 50, undefined]);
    for (const cursor of ["-1", "0.5", "151"])
      expect(await list({ cursor })).toMatchObject({ error: { code: -32602 } });
  });

  it("cancels the input requests that a task replaces by others", async () => {
    const asked = { one: { method: "roots/list" as const } };
    const other = { two: { method: "sampling/createMessage" as const, params: { messages: [], maxTokens: 1 } } };
    const questions = [asked, other];
    const getTask: Dispatch = async () => {
      const inputRequests = questions.length > 1 ? questions.shift() : questions[0];
      return { resultType: "complete", ...task, status: "input_required", inputRequests };
    };
    await using client = await fetchPlatform.open(serveTasks({ "tasks/get": getTask }));
    const old = await begin(client, "2025-11-25", { roots: {}, sampling: {} });
    const { answer, leave } = old.open({ jsonrpc: "2.0", id: 5, method: "tasks/result", params: { taskId: "t" } });
    const messages = messagesOf(await answer);
    const { id: requestId, method: first } = await take(messages);
    expect(first).toBe("roots/list");
    expect(await take(messages)).toMatchObject({ method: "notifications/cancelled", params: { requestId } });
    expect(await take(messages)).toMatchObject({ method: "sampling/createMessage" });
    // Without it, the edge would poll the task for as long as it requests input.
    await old.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5 } });
    leave();
  });

  it("returns the result of the call if the core creates no task", async () => {
    const result: Result = { resultType: "complete", content: [] };
    await using client = await fetchPlatform.open(serveTasks({ "tools/call": async () => result }));
    expect(await (await begin(client)).request("tools/call", call)).toMatchObject({ result: { content: [] } });
  });

  it("ends the stream when the core ends the subscription, and all subscriptions when the session ends", async () => {
    const exchanges: Exchange[] = [];
    const stopped = new Set<number>();
    let finish = (): void => {};
    const listen: Dispatch = (_, exchange) =>
      new Promise((resolve) => {
        const index = exchanges.push(exchange) - 1;
        onAbort(exchange, () => stopped.add(index));
        finish = () => resolve({ resultType: "complete" });
      });
    const acknowledged = {
      jsonrpc: "2.0" as const,
      method: "notifications/subscriptions/acknowledged",
      params: { notifications: { toolsListChanged: true } },
    };
    const serving = serveTasks({
      "subscriptions/listen": listen,
      "tools/call": async () => ({ resultType: "task", ...task, status: "working" }),
    });
    await using client = await fetchPlatform.open(serving);
    const old = await begin(client);
    const told = messagesOf(await old.get().answer);
    await vi.waitUntil(() => exchanges.length === 1, { interval: 1 });
    exchanges[0]?.notify(acknowledged);
    finish();
    expect((await told.next()).done).toBe(true);

    const again = messagesOf(await old.get().answer);
    await vi.waitUntil(() => exchanges.length === 2, { interval: 1 });
    exchanges[1]?.notify(acknowledged);
    await old.request("tools/call", call);
    await vi.waitUntil(() => exchanges.length === 3, { interval: 1 });
    await old.delete();
    expect((await again.next()).done).toBe(true);
    expect([...stopped].sort()).toEqual([0, 1, 2]);
  });
});
