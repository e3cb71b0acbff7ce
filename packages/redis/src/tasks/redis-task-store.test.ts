// What the task store in Redis does beyond its contract suite.
import { once } from "node:events";
import { createMessageCipher } from "@lethe/server/sealing";
import { createKeyRing } from "@lethe/server/stores";
import { describe, expect, it, vi } from "vitest";
import {
  contentOf,
  entryOf,
  handBack,
  idsAcquiredBy,
  manyTasks,
  taskOf,
} from "../../../server/src/contracts/sample-tasks.ts";
import type { RedisConnection } from "../connection/redis-connection.ts";
import { keys, useRedis } from "../testing/own-redis.ts";
import { createRedisTaskStore } from "./redis-task-store.ts";

const { connect, start } = useRedis();
const keyOf = (connection: RedisConnection, name: string) => connection.nameOf(`tasks:2:${name}`);

async function open(options: { maxBytes?: number } = {}) {
  const connection = await connect();
  return { connection, store: await createRedisTaskStore(connection, { keys, ...options }) };
}

describe("a task store in Redis", () => {
  it("loses no update when several processes update a task concurrently", async () => {
    const opened = await Promise.all([open(), open(), open(), open()]);
    const stores = opened.map(({ store }) => store);
    await stores[0]?.create(taskOf("t", { statusMessage: "" }), contentOf("w"));
    const steps = Array.from({ length: 80 }, (_, step) =>
      stores[step % 4]?.update("t", (task) => ({ ...task, statusMessage: `${task.statusMessage}x` })),
    );
    await Promise.all(steps);
    expect((await stores[0]?.read("t"))?.statusMessage).toHaveLength(80);
  });

  it("deletes expired tasks in batches and leaves no keys of tasks", async () => {
    const { connection, store } = await open();
    const ids = Array.from({ length: 250 }, (_, index) => `t${index}`);
    const create = (id: string) =>
      store.create(taskOf(id, { owner: "ann", ttlMs: 5_000 }), contentOf("w", { entries: [entryOf("one")] }));
    await Promise.all(ids.map(create));
    await Promise.all(ids.slice(0, 125).map((id) => store.update(id, handBack)));
    expect((await store.counts()).live).toBe(250);
    await vi.waitFor(async () => expect((await store.counts()).live).toBe(0), 10_000);
    await store.sweep();
    await store.retire("w");
    expect(await connection.client.keys(keyOf(connection, "*"))).toEqual([keyOf(connection, "contact")]);
  });

  it("gives every key a time to live, so that a server that is taken out leaves nothing", async () => {
    const { connection, store } = await open();
    for (const id of ["runs", "waits", "later", "asks", "done"]) {
      await store.create(taskOf(id, { owner: "ann" }), contentOf("w", { entries: [entryOf("one")] }));
    }
    await store.update("waits", handBack);
    await store.update("later", (task) => ({ ...handBack(task), delayMs: 5_000 }));
    await store.update("asks", (task) => ({ ...task, status: "input_required" }));
    await store.update("done", (task) => ({ ...task, status: "completed", result: {} }));
    await store.append({ taskId: "runs", fence: 1 }, 1, [entryOf("two")]);
    await store.acquire("v", { lanes: ["x/y"], limit: 1, mayBeSuspect: true, leaseMs: 1_000 });
    const names = await connection.client.keys(keyOf(connection, "*"));
    expect(names.length).toBeGreaterThan(10);
    for (const name of names)
      expect([name, await connection.client.pttl(name)]).toEqual([name, expect.toSatisfy((ms) => ms > 0)]);
  });

  it("without the keys of the deployment, a task can be neither read nor replaced by another, and no entry moves", async () => {
    const { connection, store } = await open();
    for (const id of ["t", "u"]) await store.create(taskOf(id, { owner: "ann" }), contentOf("w"));
    await store.append({ taskId: "t", fence: 1 }, 0, [entryOf("secret one"), entryOf("secret two")]);
    const fields = await connection.client.hgetall(keyOf(connection, "t:t"));
    const journal = await connection.client.lrange(keyOf(connection, "j:t"), 0, -1);
    expect(JSON.stringify([fields, journal])).not.toMatch(/ann|__proto__|secret/);
    await connection.client.hset(keyOf(connection, "t:u"), "s", fields.s ?? "");
    expect(await store.read("u")).toBeUndefined();
    expect(await store.update("u", (task) => task)).toBeUndefined();
    await connection.client.lset(keyOf(connection, "j:t"), 0, journal[1] ?? "");
    await store.update("t", handBack);
    expect(await idsAcquiredBy(store, "v")).toEqual([]);
  });

  it("reads tasks of the build before: ended ones as they are, others as failed once no process of that build lives", async () => {
    const { connection, store } = await open();
    const cipher = await createMessageCipher(createKeyRing(keys), { purpose: "tasks", maxBytes: 10_000 });
    const add = async (taskId: string, task: object) => {
      const whole = { ...{ taskId, tool: "tool", ttlMs: 60_000, pollIntervalMs: 5, deaths: 0 }, ...task };
      await connection.client.hset(
        connection.nameOf(`tasks:task:${taskId}`),
        "v",
        1,
        "d",
        cipher.seal(whole, taskId),
        "o",
        "",
      );
    };
    const createdAt = Date.now();
    const result = { content: [] };
    await add("done", { status: "completed", createdAt, lastUpdatedAt: createdAt, result, owner: "ann" });
    await add("old", { status: "completed", createdAt: createdAt - 60_000, result });
    await add("runs", { status: "working", createdAt, lastUpdatedAt: createdAt, worker: "w", work: { params: {} } });
    expect(await store.read("done")).toMatchObject({ status: "completed", result, owner: "ann" });
    expect(await store.read("old")).toBeUndefined();
    await connection.client.zadd(connection.nameOf("tasks:workers"), createdAt + 60_000, "w");
    expect(await store.read("runs")).toMatchObject({ status: "working" });
    await connection.client.zadd(connection.nameOf("tasks:workers"), createdAt - 1, "w");
    expect(await store.read("runs")).toMatchObject({
      status: "failed",
      error: { data: { reason: "previous_format" } },
    });
  });

  it("treats a very long id as unknown and rejects a task that is too large", async () => {
    const { store } = await open({ maxBytes: 1_000 });
    const endless = "x".repeat(100_000);
    expect(await store.read(endless)).toBeUndefined();
    expect(await store.update(endless, (task) => task)).toBeUndefined();
    await expect(store.create(taskOf("t", { statusMessage: endless }), contentOf("w"))).rejects.toThrow(RangeError);
  });

  it("appends an entry once when the reply of Redis was lost", async () => {
    const { connection, store } = await open();
    await store.create(taskOf("t"), contentOf("w"));
    await store.append({ taskId: "t", fence: 1 }, 0, [entryOf("one")]);
    const evalsha = vi.spyOn(connection.client, "evalsha");
    evalsha.mockImplementationOnce(async (...args: unknown[]) => {
      evalsha.mockRestore();
      await connection.client.evalsha(...(args as [string, number]));
      throw new Error("the connection was lost");
    });
    const append = () => store.append({ taskId: "t", fence: 1 }, 1, [entryOf("two")]);
    await expect(append()).rejects.toMatchObject({ data: { reason: "task_store_unavailable" } });
    expect(await append()).toBe(2);
  });

  it("transfers at most 200 kB for 800 steps with the result of one number", async () => {
    const own = await start();
    const connection = await connect({ url: own.url, prefix: "lethe:" });
    const store = await createRedisTaskStore(connection, { keys });
    const taskId = "x".repeat(32);
    await store.create(taskOf(taskId), contentOf("w"));
    const transferred = async () => {
      const stats = await connection.client.info("stats");
      return ["input", "output"].reduce(
        (sum, way) => sum + Number(RegExp(`total_net_${way}_bytes:(\\d+)`).exec(stats)?.[1]),
        0,
      );
    };
    const before = await transferred();
    for (let step = 0; step < 800; step++) {
      await store.append({ taskId, fence: 1 }, step, [{ kind: "once", key: `step ${step}`, value: step }]);
    }
    expect((await transferred()) - before).toBeLessThan(200_000);
  });

  it("rejects with a retry time while Redis is away, and works again afterwards", async () => {
    const own = await start();
    const connection = await connect({ url: own.url });
    const store = await createRedisTaskStore(connection, { keys });
    await Promise.all([own.stop(), once(connection.client, "close")]);
    const refused = {
      message: "tasks cannot be reached now",
      data: { retryAfterMs: 5_000, reason: "task_store_unavailable" },
    };
    const acts = [
      store.create(taskOf("t"), contentOf("w", { limits: manyTasks })),
      store.read("t"),
      store.update("t", (task) => task),
      store.append({ taskId: "t", fence: 1 }, 0, []),
      idsAcquiredBy(store, "w"),
      store.renew("w", 1_000),
      store.retire("w"),
      store.counts(),
      store.sweep(),
    ];
    for (const act of acts) act.catch(() => {});
    for (const act of acts) await expect(act).rejects.toMatchObject(refused);
    // `once` of node:events would reject at the first failed attempt to reconnect.
    const back = new Promise<void>((resolve) => connection.client.once("ready", resolve));
    await start(own.port);
    await back;
    await store.create(taskOf("t"), contentOf("w"));
    expect(await store.read("t")).toBeDefined();
  });
});
