// Two processes of one server, which here are two servers in one.
import { readFile } from "node:fs/promises";
import { connect as connectTo } from "@lethe/client/node";
import type { Server } from "@lethe/server";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type RunningRedis, startRedis } from "../../packages/redis/src/testing/redis-server.ts";
import { connect, createCounter } from "./several-processes.ts";
import { createWireClient } from "./testing/wire-client.ts";

const ends: (() => unknown)[] = [];
let redis: RunningRedis;

beforeAll(async () => {
  vi.stubEnv("LETHE_KEYS", `k1:${Buffer.alloc(32, 1).toString("base64url")}`);
  redis = await startRedis();
  ends.push(redis.stop, () => vi.unstubAllEnvs());
});
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

async function start(): Promise<Server> {
  const connection = await connect(redis.url);
  const server = await createCounter(connection);
  ends.push(
    () => connection.close(),
    () => server.close(),
  );
  return server;
}

it("a task that one process starts is available at another process", async () => {
  const [one, two] = [await start(), await start()];
  const first = await connectTo(one);
  const begun = await first.callTool("count", { to: 1 }, { manual: true });
  const second = await connectTo(two, { tasks: { maxPollMs: 50 } });
  const task = second.task(JSON.parse(JSON.stringify(begun)));
  expect((await task.result()).structuredContent).toEqual({ counted: 1 });
  await Promise.all([first.close(), second.close()]);
});

it("a subscriber at one process receives changes that another process announces", async () => {
  const [one, two] = [await start(), await start()];
  const stream = createWireClient(two.fetch).listen({ resourceSubscriptions: ["counter://state"] });
  await stream.next();
  one.resourceUpdated("counter://state");
  expect((await stream.next()).value).toMatchObject({ params: { uri: "counter://state" } });
  await stream.return(undefined);
});

it("the README of @lethe/redis contains the example unchanged", async () => {
  const root = new URL("../../", import.meta.url);
  const code = await readFile(new URL("examples/src/several-processes.ts", root), "utf8");
  const text = await readFile(new URL("packages/redis/README.md", root), "utf8");
  expect(text).toContain(`\`\`\`ts\n${code}\`\`\`\n`);
});
