// The tasks of 2025-11-25 (D-38), over the tasks of the core.
import { type JsonObject, McpError, metaKey, tasksExtension } from "@lethe/protocol";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { createServer } from "../../create-server.ts";
import type { Server } from "../../server.ts";
import { describeMatrix, fetchPlatform } from "../../testing/http-platforms.ts";
import { begin, type LegacyClient, messagesOf, take } from "../../testing/legacy-client.ts";
import { metaOf, requestOf } from "../../testing/messages.ts";
import type { LegacyOptions } from "../shared/legacy-options.ts";

const related = "io.modelcontextprotocol/related-task";
const form = z.object({ name: z.string() });

function createWorkshop(legacy: LegacyOptions = {}): Server {
  const keys = `fixture:${"A".repeat(43)}`;
  const server = createServer({ name: "workshop", version: "1" }, { onError() {}, keys, legacy });
  server.tool("plain", { handler: () => "done" });
  server.tool("auto", { task: "auto", inputSchema: z.object({ n: z.number().optional() }), handler: () => ({ n: 1 }) });
  server.tool("always", { task: "always", handler: () => "done" });
  server.tool("fail", {
    task: "always",
    handler() {
      throw new Error("secret");
    },
  });
  server.tool("refuse", {
    task: "always",
    handler() {
      throw new McpError(-32602, "no such file", { data: { path: "a" } });
    },
  });
  server.tool("visit", {
    task: "always",
    async handler(_, ctx) {
      await ctx.elicitUrl("Sign in", "https://example.com/in");
      return "welcome";
    },
  });
  server.tool("ask", { task: "auto", handler: async (_, ctx) => (await ctx.elicit("Who?", form)).name });
  server.tool("wait", {
    task: "always",
    async handler(_, ctx) {
      ctx.progress(1, 2, "half");
      await new Promise((_, reject) => ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason)));
    },
  });
  onTestFinished(() => server.close());
  return server;
}

/** The schema allows only whole milliseconds. */
const task = { ttl: 59_999.5 };
const everything = { elicitation: { form: {}, url: {} }, tasks: {} };

/** Calls tasks/result and waits for an input request. */
async function askedBy(old: LegacyClient, taskId: unknown) {
  const waiting = await old.open({ jsonrpc: "2.0", id: 9, method: "tasks/result", params: { taskId } }).answer;
  const messages = messagesOf(waiting);
  let question = await take(messages);
  while (question.method !== "elicitation/create") question = await take(messages);
  return { question, messages };
}

async function startTask(old: LegacyClient, name: string, args: JsonObject = {}): Promise<JsonObject> {
  const { result, error } = await old.request("tools/call", { name, arguments: args, task });
  if (error) throw new Error(JSON.stringify(error));
  return (result as JsonObject).task as JsonObject;
}

describeMatrix("tasks of 2025-11-25", (platform) => {
  async function open(revision: "2025-11-25" | "2025-06-18" = "2025-11-25") {
    const client = await platform.open(createWorkshop());
    return {
      client,
      old: await begin(client, revision, everything),
      [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
    };
  }

  it("are offered only to clients of 2025-11-25, with the task support of each tool", async () => {
    await using it = await open();
    expect(it.old.initialized.capabilities).toMatchObject({
      tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
    });
    expect(it.old.initialized.capabilities).not.toHaveProperty("extensions");
    const { result } = await it.old.request("tools/list");
    const support = ((result as JsonObject).tools as JsonObject[]).map(({ name, execution }) => [name, execution]);
    expect(support.slice(0, 3)).toEqual([
      ["plain", undefined],
      ["auto", { taskSupport: "optional" }],
      ["always", { taskSupport: "required" }],
    ]);
    const older = await begin(it.client, "2025-06-18");
    expect(older.initialized.capabilities).not.toHaveProperty("tasks");
    expect(JSON.stringify(await older.request("tools/list"))).not.toContain("execution");
    const modern = await it.client.send({ body: requestOf("tools/list") });
    expect(await modern.text()).not.toContain("execution");
  });

  it("a call with task augmentation gets a task immediately, even if the tool is fast", async () => {
    await using it = await open();
    const begun = await startTask(it.old, "auto");
    expect(begun).toEqual({
      taskId: expect.any(String),
      status: "working",
      createdAt: expect.any(String),
      lastUpdatedAt: expect.any(String),
      ttl: 60_000,
      pollInterval: 1_000,
    });
    const { taskId } = begun;
    const { result } = await it.old.request("tasks/result", { taskId });
    expect(result).toEqual({
      content: [{ type: "text", text: '{"n":1}' }],
      structuredContent: { n: 1 },
      _meta: { [related]: { taskId } },
    });
    expect((await it.old.request("tasks/get", { taskId })).result).toMatchObject({ taskId, status: "completed" });
  });

  it("a tool without task support rejects a task, and a task-only tool rejects a plain call (-32601)", async () => {
    await using it = await open();
    for (const params of [{ name: "plain", task }, { name: "always" }]) {
      expect(await it.old.request("tools/call", params)).toMatchObject({ error: { code: -32601 } });
    }
    const { error } = await it.old.request("tools/call", { name: "always" });
    expect(error).toMatchObject({ message: 'tool "always" runs only as a task: send "task" with the call' });
    const wrong = await it.old.request("tools/call", { name: "auto", arguments: { n: "x" }, task });
    expect(wrong).toMatchObject({ error: { code: -32602 } });
    expect(await it.old.request("tools/call", { name: "auto" })).toMatchObject({
      result: { structuredContent: { n: 1 } },
    });
  });

  it("tasks/result sends the input requests of the task, and relates them to the task", async () => {
    await using it = await open();
    const { taskId } = await startTask(it.old, "ask");
    await vi.waitFor(async () => {
      expect((await it.old.request("tasks/get", { taskId })).result).toMatchObject({ status: "input_required" });
    });
    const { question, messages } = await askedBy(it.old, taskId);
    expect(question.params).toMatchObject({ message: "Who?", _meta: { [related]: { taskId } } });
    await it.old.post({ jsonrpc: "2.0", id: question.id, result: { action: "accept", content: { name: "Ann" } } });
    expect(await take(messages)).toMatchObject({ id: 9, result: { content: [{ text: "Ann" }] } });
  });

  it("an input request is sent again if its response does not match it", async () => {
    await using it = await open();
    const { taskId } = await startTask(it.old, "ask");
    const { question, messages } = await askedBy(it.old, taskId);
    await it.old.post({ jsonrpc: "2.0", id: question.id, result: { action: "accept", content: { name: 1 } } });
    const again = await take(messages);
    expect(again).toMatchObject({ method: "elicitation/create", params: { message: "Who?" } });
    expect(again.id).not.toBe(question.id);
    await it.old.post({ jsonrpc: "2.0", id: again.id, result: { action: "accept", content: { name: "Ann" } } });
    expect(await take(messages)).toMatchObject({ id: 9, result: { content: [{ text: "Ann" }] } });
  });

  it("tasks/result fails after too many responses that do not match", async () => {
    await using client = await platform.open(createWorkshop({ maxRounds: 1 }));
    const old = await begin(client, "2025-11-25", everything);
    const { taskId } = await startTask(old, "ask");
    const { question, messages } = await askedBy(old, taskId);
    await old.post({ jsonrpc: "2.0", id: question.id, result: { action: "accept", content: {} } });
    const again = await take(messages);
    await old.post({ jsonrpc: "2.0", id: again.id, result: { action: "accept", content: {} } });
    expect(await take(messages)).toMatchObject({ id: 9, error: { code: -32603 } });
  });

  it("a pending input request is cancelled when its task ends, and tasks/result answers (D-23)", async () => {
    await using it = await open();
    const { taskId } = await startTask(it.old, "ask");
    const { question, messages } = await askedBy(it.old, taskId);
    expect((await it.old.request("tasks/cancel", { taskId })).result).toMatchObject({ status: "cancelled" });
    expect(await take(messages)).toMatchObject({
      method: "notifications/cancelled",
      params: { requestId: question.id },
    });
    expect(await take(messages)).toMatchObject({ id: 9, error: { code: -32603 } });
  });

  it("a URL elicitation of a task has an id, and its notifications relate to the task (D-39)", async () => {
    await using it = await open();
    const { taskId } = await startTask(it.old, "visit");
    const { question, messages } = await askedBy(it.old, taskId);
    expect(question.params).toMatchObject({ mode: "url", elicitationId: expect.any(String) });
    await it.old.post({ jsonrpc: "2.0", id: question.id, result: { action: "accept" } });
    const { elicitationId } = question.params as JsonObject;
    expect(await take(messages)).toMatchObject({
      method: "notifications/elicitation/complete",
      params: { elicitationId, _meta: { [related]: { taskId } } },
    });
    expect(await take(messages)).toMatchObject({ id: 9, result: { content: [{ text: "welcome" }] } });
  });

  it("a task of a failed tool has status failed and a result, and a cancelled task has no result", async () => {
    await using it = await open();
    const failed = await startTask(it.old, "fail");
    const { result } = await it.old.request("tasks/result", { taskId: failed.taskId });
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("internal error") }] });
    const statusMessage = ((result as JsonObject).content as { text: string }[])[0]?.text;
    for (const method of ["tasks/get", "tasks/list"]) {
      const answer = (await it.old.request(method, { taskId: failed.taskId })).result as JsonObject;
      const [told] = (answer.tasks ?? [answer]) as JsonObject[];
      expect(told).toMatchObject({ taskId: failed.taskId, status: "failed", statusMessage });
      expect(told).not.toHaveProperty("result");
    }
    const { taskId } = await startTask(it.old, "wait");
    expect((await it.old.request("tasks/cancel", { taskId })).result).toMatchObject({ taskId, status: "cancelled" });
    expect(await it.old.request("tasks/cancel", { taskId })).toMatchObject({ error: { code: -32602 } });
    expect(await it.old.request("tasks/result", { taskId })).toMatchObject({ error: { code: -32603 } });
  });

  it("tasks/result answers with the protocol error of the call", async () => {
    await using it = await open();
    const { taskId } = await startTask(it.old, "refuse");
    expect(await it.old.request("tasks/result", { taskId })).toMatchObject({
      error: { code: -32602, message: "no such file", data: { path: "a" } },
    });
    const { result } = await it.old.request("tasks/get", { taskId });
    expect(result).toMatchObject({ status: "failed", statusMessage: "no such file" });
    expect(result).not.toHaveProperty("error");
  });

  it("tasks/list returns the tasks of the session page by page", async () => {
    await using it = await open();
    const ids: unknown[] = [];
    for (let count = 0; count < 3; count++) ids.push((await startTask(it.old, "auto")).taskId);
    await startTask(await begin(it.client), "auto");
    const { result } = await it.old.request("tasks/list");
    expect(((result as JsonObject).tasks as JsonObject[]).map(({ taskId }) => taskId)).toEqual(ids);
    expect(result).not.toHaveProperty("nextCursor");
    expect((await it.old.request("tasks/list", { cursor: "3" })).result).toEqual({ tasks: [] });
    expect(await it.old.request("tasks/list", { cursor: "x" })).toMatchObject({ error: { code: -32602 } });
  });

  it("an unknown task answers -32602, and the task methods do not exist in other revisions", async () => {
    await using it = await open();
    for (const method of ["tasks/get", "tasks/result", "tasks/cancel"]) {
      expect(await it.old.request(method, { taskId: "none" })).toMatchObject({ error: { code: -32602 } });
    }
    const older = await begin(it.client, "2025-06-18");
    expect(await older.request("tasks/get", { taskId: "none" })).toMatchObject({ error: { code: -32601 } });
    expect(await older.request("tools/call", { name: "auto", task })).toMatchObject({ result: { content: [{}] } });
  });

  it("a client of a revision without tasks gets the result of a tool that runs only as a task", async () => {
    await using it = await open("2025-06-18");
    expect((await it.old.request("tools/call", { name: "always" })).result).toEqual({
      content: [{ type: "text", text: "done" }],
    });
    expect(await it.old.request("tools/call", { name: "refuse" })).toMatchObject({
      error: { code: -32602, message: "no such file" },
    });
  });

  it("a task of a legacy client is visible to modern clients, and its status is notified on the stream of its session", async () => {
    await using it = await open();
    const stream = it.old.get();
    const told = messagesOf(await stream.answer);
    const { taskId } = await startTask(it.old, "ask");
    const capabilities = { extensions: { [tasksExtension]: {} } };
    const _meta = metaOf({ [metaKey.clientCapabilities]: capabilities });
    const body = requestOf("tasks/get", { taskId, _meta });
    const modern = await it.client.send({ body, headers: { "mcp-name": String(taskId) } });
    expect((await modern.json()).result).toMatchObject({ resultType: "complete", taskId });
    const cancelled = it.old.request("tasks/cancel", { taskId });
    const notification = await take(told);
    expect(notification).toMatchObject({ method: "notifications/tasks/status", params: { taskId, ttl: 60_000 } });
    expect(notification.params).not.toHaveProperty("inputRequests");
    stream.leave();
    await cancelled;
  });
});

describe("tasks without a session", () => {
  it("tasks/get works by id, and tasks/list does not exist", async () => {
    const server = createServer({ name: "workshop", version: "1" }, { legacy: { sessions: "none" } });
    server.tool("always", { task: "always", handler: () => "done" });
    await using client = await fetchPlatform.open(server);
    const old = await begin(client, "2025-11-25", everything);
    expect(old.initialized.capabilities).toMatchObject({ tasks: { cancel: {}, requests: { tools: { call: {} } } } });
    expect((old.initialized.capabilities as JsonObject).tasks).not.toHaveProperty("list");
    const { taskId } = await startTask(old, "always");
    expect((await old.request("tasks/result", { taskId })).result).toMatchObject({ content: [{ text: "done" }] });
    expect(await old.request("tasks/list")).toMatchObject({ error: { code: -32601 } });
  });
});

describe("a server whose tools do not say that they run only as tasks", () => {
  it("waits for the task if a client of 2025-11-25 sends a plain call", async () => {
    await using client = await fetchPlatform.open(createWorkshop({ awaitTasks: true }));
    const old = await begin(client, "2025-11-25", everything);
    expect((await old.request("tools/call", { name: "always" })).result).toEqual({
      content: [{ type: "text", text: "done" }],
    });
  });
});

describe("a server without tasks", () => {
  it("ignores the task augmentation of a call", async () => {
    const server = createServer({ name: "plain", version: "1" });
    server.tool("plain", { handler: () => "done" });
    await using client = await fetchPlatform.open(server);
    const old = await begin(client);
    expect(await old.request("tools/call", { name: "plain", task })).toMatchObject({
      result: { content: [{ text: "done" }] },
    });
    expect(await old.request("tasks/list")).toMatchObject({ error: { code: -32601 } });
  });
});
