// What the task store in Redis does beyond its contract suite.
import { once } from "node:events";
import type { TaskStore } from "@lethe/server/stores";
import { describe, expect, it, vi } from "vitest";
import { taskOf } from "../../../server/src/contracts/task-store.ts";
import { openCuttableProxy } from "../testing/cuttable-proxy.ts";
import { keys, useRedis } from "../testing/own-redis.ts";
import { createRedisTaskStore } from "./redis-task-store.ts";

const limits = { maxTasks: 9, maxTasksPerCaller: 9 };
const { connect, start, atEnd } = useRedis();
const open = async (): Promise<TaskStore> => createRedisTaskStore(await connect(), { keys });

describe("a task store in Redis", () => {
  it("loses no update when several processes update a task concurrently", async () => {
    const stores = [await open(), await open(), await open(), await open()];
    await stores[0]?.create(taskOf("t"), limits);
    const steps = Array.from({ length: 80 }, (_, step) =>
      stores[step % 4]?.update("t", (task) => ({ ...task, deaths: task.deaths + 1 })),
    );
    await Promise.all(steps);
    expect((await stores[0]?.read("t"))?.deaths).toBe(80);
  });

  it("lets one of several processes claim an abandoned task", async () => {
    const stores = await Promise.all(Array.from({ length: 8 }, open));
    await stores[0]?.create(taskOf("t", { worker: "dead" }), limits);
    const taken = await Promise.all(
      stores.map((store, index) =>
        store.update("t", (task) => (task.worker === "dead" ? { ...task, worker: `w${index}` } : undefined)),
      ),
    );
    expect(taken.filter((task) => task !== undefined)).toHaveLength(1);
  });

  it("reports a task as abandoned until a worker claims it", async () => {
    const store = await open();
    await store.create(taskOf("t", { worker: "dead" }), limits);
    await store.keepAlive("alive", 5_000);
    await store.update("t", (task) => ({ ...task, worker: "alive" }));
    expect(await store.abandoned(1_000, 9)).toEqual([]);
    await store.update("t", (task) => ({ ...task, worker: undefined }));
    expect((await store.abandoned(1_000, 9)).map(({ taskId }) => taskId)).toEqual(["t"]);
  });

  it("deletes expired tasks in batches and leaves no keys of tasks or dead workers", async () => {
    const connection = await connect();
    const store = await createRedisTaskStore(connection, { keys });
    const many = { maxTasks: 500, maxTasksPerCaller: 500 };
    const ids = Array.from({ length: 500 }, (_, index) => `t${index}`);
    await store.keepAlive("w", 1_500);
    await Promise.all(
      ids.map((id) => store.create(taskOf(id, { caller: "ann", worker: id === "t0" ? "x" : "w" }), many)),
    );
    await expect(store.create(taskOf("more"), many)).rejects.toThrow("at most 500 tasks at a time");
    await store.sweep(2_000);
    expect(await store.abandoned(3_000, 10)).toEqual([]);
    expect(await connection.client.keys(connection.nameOf("*"))).toEqual([]);
    await store.create(taskOf("more", { caller: "ann" }), { maxTasks: 1, maxTasksPerCaller: 1 });
  });

  it("without the keys, a task can be neither read nor replaced by another", async () => {
    const connection = await connect();
    const store = await createRedisTaskStore(connection, { keys });
    await store.create(taskOf("t", { caller: "ann" }), limits);
    await store.create(taskOf("u", { caller: "bob" }), limits);
    const key = (id: string) => connection.nameOf(`tasks:task:${id}`);
    const fields = await connection.client.hgetall(key("t"));
    expect(JSON.stringify(fields)).not.toMatch(/ann|__proto__/);
    await connection.client.hset(key("u"), "d", fields.d ?? "");
    expect(await store.read("u")).toBeUndefined();
    expect(await store.update("u", (task) => task)).toBeUndefined();
    expect((await store.abandoned(9_000, 9)).map(({ taskId }) => taskId)).toEqual(["t"]);
    await store.sweep(9_000);
  });

  it("treats a very long id as unknown and rejects a task that is too large", async () => {
    const store = await createRedisTaskStore(await connect(), { keys, maxBytes: 1_000 });
    const endless = "x".repeat(100_000);
    expect(await store.read(endless)).toBeUndefined();
    expect(await store.update(endless, (task) => task)).toBeUndefined();
    await expect(store.create(taskOf("t", { caller: endless }), limits)).rejects.toThrow(RangeError);
  });

  it("retries a change while Redis is away for a moment", async () => {
    const own = await start();
    const line = await openCuttableProxy(own.url);
    atEnd(line.close);
    const connection = await connect({ url: line.url });
    const store = await createRedisTaskStore(connection, { keys });
    await store.create(taskOf("t"), limits);
    line.cut();
    const changing = store.update("t", (task) => ({ ...task, statusMessage: "half" }));
    line.mend();
    expect(await changing).toMatchObject({ statusMessage: "half" });
  });

  it("applies a change once when the reply of Redis was lost", async () => {
    const connection = await connect();
    const store = await createRedisTaskStore(connection, { keys });
    await store.create(taskOf("t"), limits);
    await store.update("t", (task) => task);
    const evalsha = vi.spyOn(connection.client, "evalsha");
    evalsha.mockImplementationOnce(async (...args: unknown[]) => {
      evalsha.mockRestore();
      await connection.client.evalsha(...(args as [string, number]));
      throw new Error("the connection was lost");
    });
    expect(await store.update("t", (task) => ({ ...task, deaths: task.deaths + 1 }))).toMatchObject({ deaths: 1 });
    expect(await store.read("t")).toMatchObject({ deaths: 1 });
  });

  it("rejects with a retry time while Redis is away, and works again afterwards", async () => {
    const own = await start();
    const connection = await connect({ url: own.url });
    const store = await createRedisTaskStore(connection, { keys, patienceMs: 0 });
    await Promise.all([own.stop(), once(connection.client, "close")]);
    const refused = { message: "tasks cannot be reached now", data: { retryAfterMs: 5_000 } };
    await expect(store.create(taskOf("t"), limits)).rejects.toMatchObject(refused);
    await expect(store.read("t")).rejects.toMatchObject(refused);
    await expect(store.update("t", (task) => task)).rejects.toMatchObject(refused);
    for (const act of [store.keepAlive("w", 1), store.abandoned(1, 1), store.sweep(1)])
      await expect(act).rejects.toThrow();
    const back = once(connection.client, "ready");
    await start(own.port);
    await back;
    await store.create(taskOf("t"), limits);
    expect(await store.read("t")).toBeDefined();
  });
});
