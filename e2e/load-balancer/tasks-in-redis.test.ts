// Tasks of three processes behind nginx: any process answers polls, and others finish the tasks of a killed one.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connect } from "@lethe/client/node";
import type { Task } from "@lethe/protocol";
import { afterEach, expect, it, vi } from "vitest";
import { startRedis } from "../../packages/redis/src/testing/redis-server.ts";
import { deploy } from "./deployment.ts";

const replica = fileURLToPath(new URL("reports-replica.mjs", import.meta.url));
const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

it("reports complete although two of three processes are killed, one of them permanently (E-31)", async () => {
  const folder = await mkdtemp(join(tmpdir(), "lethe-reports-"));
  cleanups.push(() => rm(folder, { recursive: true }));
  const press = join(folder, "press.jsonl");
  const redis = await startRedis();
  cleanups.push(redis.stop);
  const deployment = await deploy(replica, ["--redis", redis.url, "--press", press]);
  cleanups.push(deployment.stop);
  const elicit = () => ({ action: "accept" as const, content: { tone: "sober" } });
  const client = await connect(deployment.url, { elicit, tasks: { maxPollMs: 200 } });
  cleanups.push(() => client.close());

  const titles = Array.from({ length: 12 }, (_, index) => `Report ${index}`);
  const tasks: Task[] = [];
  const onTask = (task: Task) => void tasks.push(task);
  const calls = titles.map((title) => client.callTool("write_report", { title }, { onTask }));
  await vi.waitFor(() => expect(new Set(tasks.map(({ taskId }) => taskId)).size).toBe(12), 20_000);
  await deployment.kill(0);
  await deployment.revive(0);
  await deployment.kill(1);

  const results = await Promise.all(calls);
  expect(results.map(({ structuredContent }) => structuredContent)).toEqual(
    titles.map((title) => expect.objectContaining({ title, chapters: expect.arrayContaining(["Chapter 6, sober"]) })),
  );
  const effects = (await readFile(press, "utf8")).trimEnd().split("\n");
  const distinct = new Set(effects);
  expect(distinct.size).toBe(12 * 7);
  // Only an effect whose process was killed before the journal entry happens twice.
  expect(effects.length - distinct.size).toBeLessThan(12);
});
