// The task store in a file: the common contract, and what is particular to a file.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "lmdb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contentOf, idsAcquiredBy, manyTasks, shortLeaseMs, taskOf } from "../contracts/sample-tasks.ts";
import { describeTaskStore } from "../contracts/task-store.ts";
import { openFileTaskStore } from "./open-file-task-store.ts";

let folder = "";
let count = 0;
const lastPath = () => join(folder, `tasks-${count}.lmdb`);
const freshPath = () => {
  count++;
  return lastPath();
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lethe-tasks-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe("a task store in a file", () => {
  describeTaskStore(
    { it },
    () => openFileTaskStore(freshPath()),
    () => openFileTaskStore(lastPath()),
  );

  it("keeps its tasks when it is opened again", async () => {
    const path = freshPath();
    const first = await openFileTaskStore(path);
    await first.create(taskOf("t", { owner: "ann" }), contentOf("w"));
    await first.close();
    const second = await openFileTaskStore(path);
    expect(second.isDurable).toBe(true);
    expect(await second.read("t")).toMatchObject({ taskId: "t", owner: "ann" });
    const limits = { ...manyTasks, maxTasks: 1 };
    await expect(second.create(taskOf("u", { owner: "ann" }), contentOf("w", { limits }))).rejects.toThrow("at most 1");
    await second.close();
  });

  it("is readable only by its owner", async () => {
    const path = freshPath();
    const store = await openFileTaskStore(path);
    for (const file of [path, `${path}-lock`]) expect((await stat(file)).mode & 0o777).toBe(0o600);
    await store.close();
  });

  it("treats an id that exceeds the key length as unknown", async () => {
    const store = await openFileTaskStore(freshPath());
    const endless = "x".repeat(100_000);
    expect(await store.read(endless)).toBeUndefined();
    expect(await store.update(endless, (task) => task)).toBeUndefined();
    await store.create(taskOf("t", { owner: endless }), contentOf("w"));
    expect((await store.read("t"))?.owner).toBe(endless);
    await store.close();
  });

  it("deletes many expired tasks in several steps, and updates the counts", async () => {
    const store = await openFileTaskStore(freshPath());
    const limits = { ...manyTasks, maxTasks: 1_200, maxTasksPerCaller: 1_200 };
    const ids = Array.from({ length: 1_200 }, (_, index) => `t${index}`);
    const create = (id: string) => store.create(taskOf(id, { owner: "ann" }), contentOf("w", { limits }));
    await Promise.all(ids.map(create));
    await expect(create("more")).rejects.toThrow("at most 1200 tasks at a time");
    await Promise.all(ids.map((id) => store.update(id, (task) => ({ ...task, ttlMs: 1 }))));
    await store.sweep();
    expect(await store.counts()).toMatchObject({ running: 0, live: 0 });
    await store.create(taskOf("more", { owner: "ann" }), contentOf("w", { limits: { ...limits, maxTasks: 1 } }));
    await store.close();
  });

  it("takes tasks from a worker of a dead process before its lease ends, but not from one of another machine", async () => {
    const path = freshPath();
    const child = spawn(process.execPath, ["-e", ""]);
    await once(child, "exit");
    const store = await openFileTaskStore(path);
    await store.create(taskOf("gone"), contentOf("gone"));
    await store.create(taskOf("elsewhere"), contentOf("elsewhere"));
    const file = open({ path, noSubdir: true, maxDbs: 16 });
    const workers = file.openDB({ name: "2-workers", encoding: "json" });
    const until = Date.now() + 60_000;
    await workers.put("gone", { until, pid: child.pid, host: hostname() });
    await workers.put("elsewhere", { until, pid: child.pid, host: "another" });
    expect(await idsAcquiredBy(store, "v", { leaseMs: shortLeaseMs })).toEqual(["gone"]);
    await file.close();
    await store.close();
  });

  it("reads tasks of the build before: ended ones as they are, and others as failed", async () => {
    const path = freshPath();
    const file = open({ path, noSubdir: true, maxDbs: 16 });
    const tasks = file.openDB({ name: "tasks", encoding: "json" });
    const task = { tool: "tool", createdAt: Date.now(), ttlMs: 60_000, pollIntervalMs: 5, deaths: 0 };
    await tasks.put("done", { ...task, taskId: "done", status: "completed", result: { content: [] } });
    await tasks.put("runs", { ...task, taskId: "runs", status: "working", worker: "w" });
    await file.close();
    const store = await openFileTaskStore(path);
    expect(await store.read("done")).toMatchObject({ status: "completed", result: { content: [] } });
    expect(await store.read("runs")).toMatchObject({
      status: "failed",
      error: { data: { reason: "previous_format" } },
    });
    await store.close();
  });

  it("rejects a path where no file can be created", async () => {
    await expect(openFileTaskStore(join(process.execPath, "tasks.lmdb"))).rejects.toThrow();
  });
});
