// Tasks whose process loses Redis or dies, while other processes continue.
import type { JsonObject } from "@lethe/protocol";
import { type Context, createServer, type Server } from "@lethe/server";
import { expect, test, vi } from "vitest";
import { call } from "../../../server/src/testing/call.ts";
import { openCuttableProxy } from "../testing/cuttable-proxy.ts";
import { keys, useRedis } from "../testing/own-redis.ts";
import { createRedisTaskStore } from "./redis-task-store.ts";

const { connect, start, atEnd } = useRedis();
const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };

async function begin(url: string, run: (ctx: Context) => Promise<string>): Promise<Server> {
  const store = await createRedisTaskStore(await connect({ url }), { keys });
  const tasks = { store, leaseMs: 600, closeGraceMs: 0 };
  const server = createServer({ name: "s", version: "1" }, { tasks, onError: () => {} });
  server.tool("work", { task: "always", handler: (_args: unknown, ctx) => run(ctx) });
  atEnd(() => server.close());
  return server;
}

const ask = (server: Server, method: string, params: JsonObject) => call(server, method, params, { capabilities });

test("another process finishes a task whose process lost Redis, and the first process gives up after reconnecting", async () => {
  const { url } = await start();
  const line = await openCuttableProxy(url);
  atEnd(line.close);
  const effects: string[] = [];
  const hasStopped = vi.fn();
  const one = await begin(line.url, async (ctx) => {
    await ctx.once("first", () => void effects.push("one"));
    line.cut();
    await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
    hasStopped();
    await ctx.once("second", () => void effects.push("one"));
    return "one";
  });
  const { taskId } = await ask(one, "tools/call", { name: "work", arguments: {} });
  await vi.waitFor(() => expect(effects).toEqual(["one"]));
  const two = await begin(url, async (ctx) => {
    for (const step of ["first", "second"]) await ctx.once(step, () => void effects.push("two"));
    return "two";
  });
  const read = (server: Server) => ask(server, "tasks/get", { taskId });
  const completed = { status: "completed", result: { content: [{ text: "two" }] } };
  await vi.waitFor(async () => expect(await read(two)).toMatchObject(completed), 5_000);
  expect(effects).toEqual(["one", "two"]);
  expect(hasStopped).not.toHaveBeenCalled();
  await expect(read(one)).rejects.toMatchObject({ data: { retryAfterMs: 5_000 } });
  line.mend();
  await vi.waitFor(() => expect(hasStopped).toHaveBeenCalledOnce(), 8_000);
  await vi.waitFor(async () => expect(await read(one)).toMatchObject(completed));
  expect(effects).toEqual(["one", "two"]);
});
