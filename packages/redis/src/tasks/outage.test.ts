// Outages of Redis while tasks run: an outage is not the death of a server.
import type { JsonObject } from "@lethe/protocol";
import { type Context, createServer, type Server } from "@lethe/server";
import type { TasksOptions } from "@lethe/server/stores";
import { expect, test, vi } from "vitest";
import { call } from "../../../server/src/testing/call.ts";
import { openCuttableProxy } from "../testing/cuttable-proxy.ts";
import { keys, useRedis } from "../testing/own-redis.ts";
import { createRedisTaskStore } from "./redis-task-store.ts";

const { connect, start, atEnd } = useRedis();
const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const ask = (server: Server, method: string, params: JsonObject) => call(server, method, params, { capabilities });
const startTask = async (server: Server) =>
  String((await ask(server, "tools/call", { name: "work", arguments: {} })).taskId);

/** One process of a server, connected through `url`. */
async function processAt(url: string, run: (ctx: Context) => Promise<string>, tasks: TasksOptions): Promise<Server> {
  const store = await createRedisTaskStore(await connect({ url, timeoutMs: 400 }), { keys });
  const server = createServer(
    { name: "s", version: "1" },
    { tasks: { store, closeGraceMs: 0, ...tasks }, onError: () => {} },
  );
  server.tool("work", { task: "always", handler: (_args: unknown, ctx) => run(ctx) });
  atEnd(() => server.close());
  return server;
}

/** A handler with several steps, and a list of every step that began. */
function steps(count: number, ms: number): { begun: string[]; run: (ctx: Context) => Promise<string> } {
  const begun: string[] = [];
  return {
    begun,
    async run(ctx) {
      const id = await ctx.uuid();
      for (let step = 0; step < count; step++) {
        await ctx.once(`step ${step}`, async () => {
          begun.push(`${id} ${step}`);
          await sleep(ms);
        });
      }
      return "done";
    },
  };
}

async function expectCompleted(server: Server, taskIds: readonly string[]): Promise<void> {
  for (const taskId of taskIds) {
    const read = () => ask(server, "tasks/get", { taskId });
    await vi.waitFor(async () => expect(await read()).toMatchObject({ status: "completed" }), 25_000);
  }
}

test("outages that outlast the leases of all processes start no step twice and fail no task", async () => {
  const redis = await start();
  const { begun, run } = steps(12, 250);
  const tasks = { leaseMs: 1_200, maxDeaths: 2 };
  const servers = [await processAt(redis.url, run, tasks), await processAt(redis.url, run, tasks)];
  const taskIds = await Promise.all([...servers, ...servers, ...servers].map(startTask));
  for (let outage = 0; outage < 3; outage++) {
    await sleep(500);
    redis.pause();
    await sleep(2_000);
    redis.goOn();
  }
  await expectCompleted(servers[0] as Server, taskIds);
  expect(begun).toHaveLength(6 * 12);
  expect(new Set(begun).size).toBe(6 * 12);
}, 60_000);

test("a process that loses Redis for less than its lease loses no task, although a renewal fails", async () => {
  const redis = await start();
  const line = await openCuttableProxy(redis.url);
  atEnd(line.close);
  const { begun, run } = steps(20, 250);
  const one = await processAt(line.url, run, { leaseMs: 3_000 });
  const other = await processAt(redis.url, run, { leaseMs: 3_000, concurrency: 5 });
  const taskIds = await Promise.all([startTask(one), startTask(one)]);
  await sleep(1_600);
  line.cut();
  await sleep(900);
  line.mend();
  await expectCompleted(other, taskIds);
  expect(new Set(begun).size).toBe(begun.length);
}, 60_000);

test("the clock of a process does not matter: a jump takes no task from a live process", async () => {
  const redis = await start();
  const { begun, run } = steps(8, 250);
  const one = await processAt(redis.url, run, { leaseMs: 3_000 });
  const taskIds = await Promise.all([startTask(one), startTask(one)]);
  const before = Date.now;
  const jump = vi.spyOn(Date, "now").mockImplementation(() => before() + 20_000);
  atEnd(() => jump.mockRestore());
  const other = await processAt(redis.url, run, { leaseMs: 3_000 });
  await expectCompleted(other, taskIds);
  expect(new Set(begun).size).toBe(begun.length);
});

test("while Redis is away, a call of a tool that always creates a task is rejected with a typed, retryable error", async () => {
  const redis = await start();
  const line = await openCuttableProxy(redis.url);
  atEnd(line.close);
  const server = await processAt(line.url, async () => "done", { leaseMs: 3_000 });
  line.cut();
  const unavailable = { data: { reason: "task_store_unavailable", retryAfterMs: 5_000 }, refusalStatus: 503 };
  for (let attempt = 0; attempt < 2; attempt++) await expect(startTask(server)).rejects.toMatchObject(unavailable);
  line.mend();
  await vi.waitFor(async () => expectCompleted(server, [await startTask(server)]), 20_000);
});

test("a step that ends during an outage is stored afterwards, and the next one begins only then", async () => {
  const redis = await start();
  const line = await openCuttableProxy(redis.url);
  atEnd(line.close);
  const effects: string[] = [];
  const run = async (ctx: Context) => {
    await ctx.once("first", () => void effects.push("first"));
    await ctx.once("second", () => {
      line.cut();
      effects.push("second");
    });
    await ctx.once("third", () => void effects.push("third"));
    return "done";
  };
  const server = await processAt(line.url, run, { leaseMs: 600 });
  const taskId = await startTask(server);
  await vi.waitFor(() => expect(effects).toEqual(["first", "second"]));
  await sleep(1_500);
  expect(effects).toEqual(["first", "second"]);
  line.mend();
  await expectCompleted(server, [taskId]);
  expect(effects).toEqual(["first", "second", "third"]);
});
