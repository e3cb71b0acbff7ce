// Core tasks of 2025-11-25 (D-38) with the official SDK as the client: tools that modern clients see as tasks of the extension,
// over Streamable HTTP, HTTP+SSE and stdio. Messages are validated with the schema of that revision.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import {
  CallToolResultSchema,
  CreateTaskResultSchema,
  ElicitRequestSchema,
  TaskStatusNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProblemCheck } from "./legacy-schema.ts";
import { serveToSdk } from "./sdk-transports.ts";

const related = "io.modelcontextprotocol/related-task";
const problemsOf = createProblemCheck("2025-11-25");
const sdk = await serveToSdk();
afterAll(() => sdk.close());

const transports = [
  ["Streamable HTTP", sdk.streamableHttp],
  ["HTTP+SSE", sdk.sseAtOwnPath],
  ["stdio", sdk.stdio],
] as const;

describe.each(transports)("SDK 1.32 over %s", (_name, open) => {
  const client = new Client({ name: "old", version: "1" }, { capabilities: { elicitation: {} } });
  const { tasks } = client.experimental;
  const asked: unknown[] = [];
  const heard: { taskId: string; status: string }[] = [];

  beforeAll(async () => {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params);
      return { action: "accept", content: { copies: 2 } };
    });
    client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => {
      expect(problemsOf("TaskStatusNotificationParams", params)).toEqual([]);
      heard.push(params);
    });
    await client.connect(open());
    await client.listTools();
  });

  afterAll(() => client.close());

  /** Returns all messages of a call, each validated with the schema. */
  async function follow(args: Record<string, unknown>) {
    const messages = [];
    for await (const message of tasks.callToolStream({ name: "print", arguments: args })) {
      if ("task" in message) expect(problemsOf("Task", message.task)).toEqual([]);
      if (message.type === "result") expect(problemsOf("CallToolResult", message.result)).toEqual([]);
      messages.push(message);
    }
    return messages;
  }

  async function begin(name: string, args = {}, ttl = 60_000): Promise<string> {
    const call = { method: "tools/call" as const, params: { name, arguments: args } };
    const created = await client.request(call, CreateTaskResultSchema, { task: { ttl } });
    expect(problemsOf("CreateTaskResult", created)).toEqual([]);
    expect(created.task.ttl).toBe(ttl);
    return created.task.taskId;
  }

  it("sees which tools require tasks and gets an error when it calls one without a task", async () => {
    expect(client.getServerCapabilities()?.tasks).toEqual({ list: {}, cancel: {}, requests: { tools: { call: {} } } });
    const { tools } = await client.listTools();
    const support = Object.fromEntries(tools.map(({ name, execution }) => [name, execution?.taskSupport]));
    expect(support).toMatchObject({ print: "required", wait: "optional", count: undefined });
    const bare = { method: "tools/call" as const, params: { name: "print", arguments: { pages: 1 } } };
    await expect(client.request(bare, CallToolResultSchema)).rejects.toMatchObject({ code: -32601 });
    await expect(client.request({ ...bare, params: { name: "count" } }, CreateTaskResultSchema, { task: {} }))
      .rejects //
      .toMatchObject({ code: -32601 });
  });

  it("calls a tool as a task, polls it and gets the result", async () => {
    const messages = await follow({ pages: 3 });
    const [created] = messages;
    expect(created).toMatchObject({ type: "taskCreated", task: { status: "working" } });
    expect(messages.at(-1)).toMatchObject({ type: "result", result: { structuredContent: { printed: 3 } } });
    const taskId = created?.type === "taskCreated" ? created.task.taskId : "";
    expect(await tasks.getTask(taskId)).toMatchObject({ taskId, status: "completed" });
    expect(await tasks.getTaskResult(taskId, CallToolResultSchema)).toMatchObject({ _meta: { [related]: { taskId } } });
  });

  it("answers an elicitation while it waits for the result", async () => {
    asked.length = 0;
    const messages = await follow({ pages: 10 });
    expect(messages.at(-1)).toMatchObject({ type: "result", result: { structuredContent: { printed: 20 } } });
    expect(messages).toContainEqual(
      expect.objectContaining({ type: "taskStatus", task: expect.objectContaining({ status: "input_required" }) }),
    );
    const [created] = messages;
    const taskId = created?.type === "taskCreated" ? created.task.taskId : "";
    expect(asked).toMatchObject([{ message: "Print 10 pages?", _meta: { [related]: { taskId } } }]);
  });

  it("sees a failed tool in the task and in its result", async () => {
    const messages = await follow({ pages: 0 });
    expect(messages.at(-1)).toMatchObject({ type: "error" });
    const status = messages.findLast(({ type }) => type === "taskStatus");
    expect(status).toMatchObject({ task: { status: "failed", statusMessage: "nothing to print" } });
    const taskId = status?.type === "taskStatus" ? status.task.taskId : "";
    expect(await tasks.getTaskResult(taskId, CallToolResultSchema)).toMatchObject({ isError: true });
  });

  it("cancels a task once, which stops the tool and sends a notification", async () => {
    const before = await textOf(client.callTool({ name: "cancelled" }));
    const taskId = await begin("wait");
    const cancelled = await tasks.cancelTask(taskId);
    expect(problemsOf("CancelTaskResult", cancelled)).toEqual([]);
    expect(cancelled).toMatchObject({ taskId, status: "cancelled" });
    await expect.poll(() => heard).toContainEqual(expect.objectContaining({ taskId, status: "cancelled" }));
    await expect(tasks.cancelTask(taskId)).rejects.toMatchObject({ code: -32602 });
    await expect.poll(() => textOf(client.callTool({ name: "cancelled" }))).toBe(String(Number(before) + 1));
  });

  it("lists its own tasks only", async () => {
    const taskId = await begin("print", { pages: 1 });
    const listed = await tasks.listTasks();
    expect(problemsOf("ListTasksResult", listed)).toEqual([]);
    expect(listed.tasks.at(-1)).toMatchObject({ taskId });
    const other = new Client({ name: "other", version: "1" });
    await other.connect(open());
    expect((await other.experimental.tasks.listTasks()).tasks).toEqual([]);
    await other.close();
    await expect(tasks.getTask("none")).rejects.toMatchObject({ code: -32602 });
  });
});

async function textOf(calling: Promise<unknown>): Promise<string> {
  const { content } = (await calling) as { content: { text: string }[] };
  return content.map(({ text }) => text).join("");
}
