// Reports complete although their server process is killed twice, once before the input request and once
// after it, and although their client is killed too.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Client } from "@lethe/client";
import { connect } from "@lethe/client/node";
import type { Task } from "@lethe/protocol";
import { afterEach, expect, it, vi } from "vitest";
import { findFreePort } from "../../packages/redis/src/testing/free-port.ts";
import { startProcess, stopProcess } from "../processes/server.ts";

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Reports {
  child: ChildProcess;
  port: number;
  data: string;
}

async function startReports(port: number, data: string): Promise<Reports> {
  const args = ["--port", String(port), "--data", data, "--chapter-ms", "700"];
  const child = startProcess("examples/reports/dist/server.js", { args });
  cleanups.push(() => stopProcess(child));
  if (child.stdout) await once(createInterface({ input: child.stdout }), "line");
  return { child, port, data };
}

async function killAndRestart({ child, port, data }: Reports): Promise<Reports> {
  const gone = once(child, "close");
  child.kill("SIGKILL");
  await gone;
  return startReports(port, data);
}

async function newClient(port: number): Promise<Client> {
  const elicit = () => ({ action: "accept" as const, content: { tone: "sober" } });
  const client = await connect(`http://127.0.0.1:${port}/mcp`, { elicit, tasks: { maxPollMs: 200 } });
  cleanups.push(() => client.close());
  return client;
}

async function startAll(): Promise<Reports> {
  const data = await mkdtemp(join(tmpdir(), "lethe-reports-"));
  cleanups.push(() => rm(data, { recursive: true }));
  return startReports(await findFreePort(), data);
}

/** Resolves as soon as the chapter begins, before any of its work. */
async function chapterBegins(client: Client, { taskId }: Task, chapter: number): Promise<void> {
  await vi.waitFor(
    async () => expect((await client.task({ taskId }).get()).statusMessage).toBe(`writing chapter ${chapter} of 6`),
    { interval: 10, timeout: 20_000 },
  );
}

async function effectsOf({ data }: Reports): Promise<string[]> {
  const lines = (await readFile(join(data, "press.jsonl"), "utf8")).trimEnd().split("\n");
  return lines.map((line) => {
    const { effect, chapter = "" } = JSON.parse(line);
    return `${effect} ${chapter}`.trim();
  });
}

const written = {
  title: "Failure",
  chapters: [1, 2, 3, 4, 5, 6].map((number) => `Chapter ${number}, ${number > 3 ? "sober" : "neutral"}`),
  issue: 1,
};
const effects = [...[1, 2, 3, 4, 5, 6].map((number) => `typeset ${number}`), "print"];

it("a report completes despite two SIGKILLs of its server, and each effect happens once (E-31)", async () => {
  let reports = await startAll();
  const client = await newClient(reports.port);
  const tasks: Task[] = [];
  const call = client.callTool("write_report", { title: "Failure" }, { onTask: (task) => tasks.push(task) });
  await vi.waitFor(() => expect(tasks).not.toHaveLength(0), { timeout: 10_000 });
  for (const chapter of [3, 5]) {
    await chapterBegins(await newClient(reports.port), tasks[0] as Task, chapter);
    reports = await killAndRestart(reports);
  }
  expect((await call).structuredContent).toEqual(written);
  expect(await effectsOf(reports)).toEqual(effects);
});

it("a restarted client resumes its task by the stored task id (F-16)", async () => {
  let reports = await startAll();
  const first = await newClient(reports.port);
  const kept = await first.callTool("write_report", { title: "Failure" }, { manual: true });
  expect(kept.resultType).toBe("task");
  await first.close();
  reports = await killAndRestart(reports);
  const second = await newClient(reports.port);
  const task = second.task({ ...JSON.parse(JSON.stringify(kept)), tool: "write_report" });
  expect((await task.result()).structuredContent).toEqual(written);
  expect(await effectsOf(reports)).toEqual(effects);
});

it("a server that stops hands its tasks over, and the next server continues them at once", async () => {
  const reports = await startAll();
  const client = await newClient(reports.port);
  const tasks: Task[] = [];
  const call = client.callTool("write_report", { title: "Failure" }, { onTask: (task) => tasks.push(task) });
  await vi.waitFor(() => expect(tasks).not.toHaveLength(0), { timeout: 10_000 });
  await chapterBegins(client, tasks[0] as Task, 3);
  await stopProcess(reports.child);
  expect(reports.child.exitCode).toBe(0);
  const next = await startReports(reports.port, reports.data);
  expect((await call).structuredContent).toEqual(written);
  expect(await effectsOf(next)).toEqual(effects);
});
