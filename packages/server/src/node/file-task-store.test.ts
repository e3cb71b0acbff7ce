// The task store in a file: the common contract, and what is particular to a file.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "lmdb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeTaskStore, taskOf } from "../contracts/task-store.ts";
import { openFileTaskStore } from "./open-file-task-store.ts";

const limits = { maxTasks: 9, maxTasksPerCaller: 9 };
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
    await first.create(taskOf("t", { caller: "ann" }), limits);
    await first.close();
    const second = await openFileTaskStore(path);
    expect(second.isDurable).toBe(true);
    expect(await second.read("t")).toMatchObject({ taskId: "t", owner: "ann" });
    await expect(second.create(taskOf("u", { caller: "ann" }), { ...limits, maxTasks: 1 })).rejects.toThrow(
      "at most 1",
    );
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
    await store.create(taskOf("t", { caller: endless }), limits);
    expect((await store.read("t"))?.owner).toBe(endless);
    await store.close();
  });

  it("deletes many expired tasks in several steps, and updates the counts", async () => {
    const store = await openFileTaskStore(freshPath());
    const many = { maxTasks: 1_200, maxTasksPerCaller: 1_200 };
    const ids = Array.from({ length: 1_200 }, (_, index) => `t${index}`);
    await Promise.all(ids.map((id) => store.create(taskOf(id, { caller: "ann" }), many)));
    await expect(store.create(taskOf("more"), many)).rejects.toThrow("at most 1200 tasks at a time");
    await store.sweep(2_000);
    expect(await store.abandoned(0, 10)).toEqual([]);
    await store.create(taskOf("more", { caller: "ann" }), { maxTasks: 1, maxTasksPerCaller: 1 });
    await store.close();
  });

  it("treats a worker of a dead process as dead before its lease ends, but not a worker of another machine", async () => {
    const path = freshPath();
    const child = spawn(process.execPath, ["-e", ""]);
    await once(child, "exit");
    const store = await openFileTaskStore(path);
    await store.create(taskOf("gone", { worker: "gone" }), limits);
    await store.create(taskOf("elsewhere", { worker: "elsewhere" }), limits);
    const file = open({ path, noSubdir: true, maxDbs: 8 });
    const workers = file.openDB({ name: "workers", encoding: "json" });
    await workers.put("gone", { until: 9_000, pid: child.pid, host: hostname() });
    await workers.put("elsewhere", { until: 9_000, pid: child.pid, host: "another" });
    expect((await store.abandoned(5_000, 9)).map(({ taskId }) => taskId)).toEqual(["gone"]);
    await file.close();
    await store.close();
  });

  it("rejects a path where no file can be created", async () => {
    await expect(openFileTaskStore(join(process.execPath, "tasks.lmdb"))).rejects.toThrow();
  });
});
