// Tasks of three processes while Redis stands still for longer than the lease of every process, several times.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { connect } from "@lethe/client/node";
import type { Task } from "@lethe/protocol";
import { afterEach, expect, it, vi } from "vitest";
import { startRedis } from "../../packages/redis/src/testing/redis-server.ts";
import { deploy } from "./deployment.ts";

const replica = fileURLToPath(new URL("steps-replica.mjs", import.meta.url));
const cleanups: (() => Promise<unknown>)[] = [];
/** `npm run test:full` sets LETHE_FULL. */
const plan = process.env.LETHE_FULL
  ? { tasks: 30, steps: 60, stepMs: 1_000, leaseMs: 15_000, outages: 4, outageMs: 18_000, betweenMs: 9_000 }
  : { tasks: 12, steps: 12, stepMs: 500, leaseMs: 5_000, outages: 2, outageMs: 7_000, betweenMs: 3_000 };

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

it("all tasks complete with their results and no step starts twice, although Redis repeatedly outlasts all leases", async () => {
  const folder = await mkdtemp(join(tmpdir(), "lethe-steps-"));
  cleanups.push(() => rm(folder, { recursive: true }));
  const effects = join(folder, "effects.txt");
  const redis = await startRedis();
  cleanups.push(redis.stop);
  const { steps, stepMs, leaseMs } = plan;
  const args = ["--redis", redis.url, "--effects", effects];
  for (const [name, value] of Object.entries({ steps, stepMs, leaseMs })) args.push(`--${name}`, String(value));
  const deployment = await deploy(replica, args);
  cleanups.push(deployment.stop);
  const client = await connect(deployment.url, { tasks: { maxPollMs: 1_000 } });
  cleanups.push(() => client.close());

  const tasks: Task[] = [];
  const onTask = (task: Task) => void tasks.push(task);
  const calls = Array.from({ length: plan.tasks }, () => client.callTool("count", {}, { onTask }));
  const begun = () => new Set(tasks.map(({ taskId }) => taskId)).size;
  await vi.waitFor(() => expect(begun()).toBe(plan.tasks), 20_000);
  for (let outage = 0; outage < plan.outages; outage++) {
    redis.pause();
    await wait(plan.outageMs);
    redis.goOn();
    await wait(plan.betweenMs);
  }

  const results = await Promise.all(calls);
  const sum = String((steps * (steps + 1)) / 2);
  expect(results.map(({ content }) => content)).toEqual(calls.map(() => [{ type: "text", text: sum }]));
  const lines = (await readFile(effects, "utf8")).trimEnd().split("\n");
  expect(lines).toHaveLength(plan.tasks * steps);
  const started = new Set(lines.map((line) => line.split(" ").slice(0, 2).join(" ")));
  expect(started.size).toBe(plan.tasks * steps);
  // No process took a task from another.
  expect(lines.filter((line) => line.split(" ")[2] !== "1")).toEqual([]);
}, 400_000);
