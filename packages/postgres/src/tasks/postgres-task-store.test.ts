// What the task store in PostgreSQL does beyond its contract suite.
import { describe, expect, it } from "vitest";
import { contentOf, entryOf, handBack, idsAcquiredBy, taskOf } from "../../../server/src/contracts/sample-tasks.ts";
import type { Statement } from "../connection/postgres-link.ts";
import { keys, usePostgres } from "../testing/own-postgres.ts";
import { createPostgresTaskStore } from "./postgres-task-store.ts";

const { connect, server } = usePostgres();
const statement = (text: string): Statement => ({ name: `test ${text}`.slice(0, 60), text });

async function open(options: { maxBytes?: number } = {}) {
  const connection = await connect();
  return { connection, store: await createPostgresTaskStore(connection, { keys, ...options }) };
}

describe("a task store in PostgreSQL", () => {
  it("gives no task to two workers when many workers acquire at the same time", async () => {
    const opened = await Promise.all([open(), open(), open()]);
    const stores = opened.map(({ store }) => store);
    const ids = Array.from({ length: 60 }, (_, index) => `t${index}`);
    await Promise.all(ids.map((id) => stores[0]?.create(taskOf(id), contentOf("creator"))));
    await stores[0]?.retire("creator");
    const acquired: string[] = [];
    const workers = Array.from({ length: 12 }, async (_, index) => {
      for (let turn = 0; acquired.length < ids.length && turn < 100; turn++) {
        const store = stores[index % 3] as (typeof stores)[0];
        acquired.push(...(await idsAcquiredBy(store, `w${index}`, { limit: 2 })));
      }
    });
    await Promise.all(workers);
    expect(acquired.sort()).toEqual(ids.sort());
  });

  it("keeps JSON as it was written, with U+0000, lone surrogates and the order of keys", async () => {
    const { store } = await open();
    const result = { structuredContent: { z: "\u0000", a: "\ud800", 1: "é\u2028" }, content: [] };
    await store.create(taskOf("t"), contentOf("w"));
    await store.update("t", (task) => ({ ...task, status: "completed", result }));
    expect(JSON.stringify((await store.read("t"))?.result)).toBe(JSON.stringify(result));
  });

  it("stores no plain text of a task, and rejects a row that was moved to another task", async () => {
    const { connection, store } = await open();
    for (const id of ["t", "u"]) await store.create(taskOf(id, { owner: "ann" }), contentOf("w"));
    await store.append({ taskId: "t", fence: 1 }, 0, [entryOf("secret one")]);
    const of = [connection.prefix];
    const tasks = await connection.run(statement("SELECT * FROM lethe.tasks WHERE prefix = $1"), of);
    const journal = await connection.run(statement("SELECT * FROM lethe.journal WHERE prefix = $1"), of);
    expect([tasks.length, journal.length]).toEqual([2, 1]);
    expect(JSON.stringify([tasks, journal])).not.toMatch(/"ann"|__proto__|secret/);
    const move = `UPDATE lethe.tasks SET state = (SELECT state FROM lethe.tasks WHERE prefix = $1 AND id = 't')
      WHERE prefix = $1 AND id = 'u'`;
    await connection.run(statement(move), of);
    expect(await store.read("u")).toBeUndefined();
    expect(await store.update("u", (task) => task)).toBeUndefined();
  });

  it("deletes expired tasks with their journals and counts, and none of another server", async () => {
    const { connection, store } = await open();
    const ids = Array.from({ length: 20 }, (_, index) => `t${index}`);
    const create = (id: string) =>
      store.create(taskOf(id, { owner: "ann" }), contentOf("w", { entries: [entryOf("one")] }));
    await Promise.all(ids.map(create));
    await store.update("t0", (task) => ({ ...task, status: "completed", result: {} }));
    const other = await createPostgresTaskStore(await connect({ prefix: "other:" }), { keys });
    await other.create(taskOf("t"), contentOf("w"));
    const of = [connection.prefix];
    await connection.run(statement("UPDATE lethe.tasks SET expires_at = 1 WHERE prefix = $1"), of);
    expect(await store.counts()).toMatchObject({ live: 0, ended: 0, running: 0 });
    await store.sweep();
    for (const table of ["tasks", "journal"]) {
      expect(await connection.run(statement(`SELECT FROM lethe.${table} WHERE prefix = $1`), of)).toEqual([]);
    }
    const usage = statement("SELECT live, ended FROM lethe.task_usage WHERE prefix = $1");
    expect(await connection.run(usage, of)).toEqual([
      { live: 0, ended: 0 },
      { live: 0, ended: 0 },
    ]);
    expect((await other.read("t"))?.taskId).toBe("t");
  });

  it("treats an id that is very long, or that PostgreSQL cannot store, as unknown, and rejects a task that is too large", async () => {
    const { store } = await open({ maxBytes: 1_000 });
    for (const id of ["x".repeat(100_000), "a\0b"]) {
      expect(await store.read(id)).toBeUndefined();
      expect(await store.update(id, (task) => task)).toBeUndefined();
      expect(await store.append({ taskId: id, fence: 1 }, 0, [])).toBeUndefined();
      expect(await idsAcquiredBy(store, "w", { taskId: id })).toEqual([]);
    }
    const large = taskOf("t", { statusMessage: "x".repeat(10_000) });
    await expect(store.create(large, contentOf("w"))).rejects.toThrow(RangeError);
  });

  it("rejects writes of a worker whose acquisition the database has forgotten, also if another one acquired the task with the same fence", async () => {
    const [{ connection, store: one }, { store: other }] = [await open(), await open()];
    await one.create(taskOf("t"), contentOf("creator"));
    await one.retire("creator");
    expect(await idsAcquiredBy(one, "w")).toEqual(["t"]);
    // A stand-by that lacks the last commit has the task as it was before.
    const text = "UPDATE lethe.tasks SET worker = NULL, fence = 1, ready_at = lethe.now_ms() WHERE prefix = $1";
    await connection.run(statement(text), [connection.prefix]);
    expect(await idsAcquiredBy(other, "v")).toEqual(["t"]);
    const held = { taskId: "t", fence: 2 };
    expect(await one.append(held, 0, [entryOf("one")])).toBeUndefined();
    expect(await one.update("t", handBack, 2)).toBeUndefined();
    expect(await other.append(held, 0, [entryOf("one")])).toBe(1);
    expect(await other.update("t", handBack, 2)).toBeDefined();
  });

  it("rejects each call with a retryable error while PostgreSQL is away, and works again when it is back", async () => {
    const { connection, store } = await open();
    await store.create(taskOf("t"), contentOf("w"));
    await server().crash();
    const refused = { data: { reason: "task_store_unavailable" }, refusalStatus: 503 };
    await expect(store.read("t")).rejects.toMatchObject(refused);
    await expect(store.create(taskOf("u"), contentOf("w"))).rejects.toMatchObject(refused);
    await expect(store.update("t", handBack)).rejects.toMatchObject(refused);
    const back = new Promise<void>((resolve) => connection.onResubscribed(resolve));
    await server().start();
    await back;
    expect((await store.read("t"))?.worker).toBe("w");
  });
});
