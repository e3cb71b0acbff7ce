// The client against the tasks of this project's server: by asking, and by listening.
import type { ElicitSchema } from "@lethe/protocol";
import { createServer, type Server } from "@lethe/server";
import { serve } from "@lethe/server/node";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Client } from "../connect/client.ts";
import { createClient } from "../connect/create-client.ts";
import type { ConnectOptions } from "../connect/create-connect.ts";
import { connectStreamableHttp } from "../legacy/connect-legacy-http.ts";
import { connect } from "../node/connect.ts";
import { createNodeSend } from "../node/http-send.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const form: ElicitSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };

function createWorkshop(): Server {
  const server = createServer({ name: "workshop", version: "1" }, { tasks: { afterMs: 10, pollIntervalMs: 20 } });
  server.tool("build", {
    task: "auto",
    async handler(_, ctx) {
      const { name } = await ctx.elicit("Who builds?", form, { key: "who" });
      await new Promise((resolve) => setTimeout(resolve, 30));
      ctx.progress(1, 2, `${name} is half way`);
      const again = await ctx.elicit("Who finishes?", form, { key: "who else" });
      return `${name} and ${again.name}`;
    },
  });
  server.tool("wait", {
    task: "always",
    handler: (_, ctx) =>
      new Promise((_, reject) => ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason))),
  });
  return server;
}

const ways: [string, (server: Server, options: ConnectOptions) => Promise<Client>][] = [
  ["in memory", (server, options) => connect(server, options)],
  [
    "over HTTP",
    async (server, options) => {
      const { url, close } = await serve(server, { port: 0 });
      closers.push(() => close({ graceMs: 0 }));
      return connect(url, options);
    },
  ],
  [
    "over HTTP in a session of 2025-11-25, whose core tasks are other ones (D-38)",
    async (server, options) => {
      const { url, close } = await serve(server, { port: 0 });
      closers.push(() => close({ graceMs: 0 }));
      const { send, close: closeSockets } = createNodeSend();
      closers.push(closeSockets);
      return createClient(await connectStreamableHttp({ url: new URL(url), send }), url, options);
    },
  ],
];

describe.each(ways)("%s", (_, connectTo) => {
  async function start(tasks: ConnectOptions["tasks"]): Promise<Client> {
    const server = createWorkshop();
    closers.push(() => server.close());
    const names = ["Ann", "Bob"];
    const client = await connectTo(server, {
      tasks: tasks ?? true,
      elicit: () => ({ action: "accept", content: { name: names.shift() ?? "nobody" } }),
    });
    closers.push(() => client.close());
    return client;
  }

  test("input requests before and during a task reach the same handlers, and the call returns the task's result (F-6)", async () => {
    const client = await start(true);
    expect(await client.callTool("build", {}, { task: true })).toMatchObject({ content: [{ text: "Ann and Bob" }] });
  });

  test("a client with a subscription does not poll (F-23)", async () => {
    const client = await start({ listen: true, minPollMs: 1, maxPollMs: 60_000 });
    const told: unknown[] = [];
    const onTask = ({ status, statusMessage }: { status: string; statusMessage?: string }) =>
      told.push(statusMessage ?? status);
    expect(await client.callTool("build", {}, { task: true, onTask })).toMatchObject({
      content: [{ text: "Ann and Bob" }],
    });
    expect(told).toContain("completed");
  });

  test("aborting a call cancels its task at the server (F-20)", async () => {
    const client = await start(true);
    const controller = new AbortController();
    const ids: string[] = [];
    const call = client.callTool("wait", {}, { signal: controller.signal, onTask: ({ taskId }) => ids.push(taskId) });
    call.catch(() => {});
    await vi.waitFor(() => expect(ids).toHaveLength(1));
    controller.abort();
    await expect(call).rejects.toMatchObject({ reason: "cancelled" });
    const task = client.task({ taskId: ids[0] ?? "" });
    await vi.waitFor(async () => expect((await task.get()).status).toBe("cancelled"));
  });
});
