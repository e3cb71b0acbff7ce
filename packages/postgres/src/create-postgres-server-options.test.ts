import { readFileSync } from "node:fs";
import { createServer } from "@lethe/server";
import pg from "pg";
import { expect, test } from "vitest";
import { contentOf, entryOf, handBack, idsAcquiredBy, taskOf } from "../../server/src/contracts/sample-tasks.ts";
import { call } from "../../server/src/testing/call.ts";
import { deleteExpired } from "./connection/sweeper.ts";
import { createPostgresServerOptions } from "./create-postgres-server-options.ts";
import { createPostgresRateCounter } from "./limits/postgres-rate-counter.ts";
import { keys, usePostgres } from "./testing/own-postgres.ts";

const { connect, server: database, atEnd } = usePostgres();
const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };

test("the rights that the README grants permit every operation", async () => {
  await connect();
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const [, grants = ""] = /```sql\n(.*?)```/s.exec(readme) ?? [];
  const owner = new pg.Client(database().url);
  await owner.connect();
  await owner.query(grants);
  await owner.end();
  const postgres = await connect({ url: database().url.replace("//lethe@", "//counter:SECRET@") });
  const options = await createPostgresServerOptions(postgres, { keys });

  const { store } = options.tasks;
  await store.create(taskOf("t", { owner: "ann" }), contentOf("w"));
  await store.append({ taskId: "t", fence: 1 }, 0, [entryOf("one")]);
  await store.update("t", handBack);
  expect(await idsAcquiredBy(store, "v")).toEqual(["t"]);
  expect(await store.renew("v", 1_000)).toHaveLength(1);
  await store.update("t", (task) => ({ ...task, status: "completed", result: {} }));
  await store.retire("v");
  expect(await store.counts()).toMatchObject({ live: 0, ended: 1 });
  const round = { id: "a", callerId: "ann", expiresAt: Date.now() + 60_000, inputs: "yes" };
  expect(await options.singleUse.claim(round)).toEqual({ status: "claimed" });
  await options.singleUse.release(round);
  expect(await options.sessionStore.write("s", "{}", { expected: 0, ttlMs: 1_000 })).toBe(true);
  await options.legacy.store.update("s", () => ({ isTerminated: true }));
  const stream = { sessionId: "s", streamId: "1" };
  options.legacy.events.begin(stream);
  const follow = () => options.legacy.events.follow(stream, 0, { event() {}, end() {} });
  await expect.poll(follow, { timeout: 10_000 }).toBeDefined();
  expect(await createPostgresRateCounter(postgres).take("ann", { max: 1, windowMs: 60_000 })).toBe(0);
  await deleteExpired(postgres.run);
});

test("a second process answers for a task that the first one runs", async () => {
  const servers = await Promise.all(
    [1, 2].map(async () => {
      const options = await createPostgresServerOptions(await connect(), { keys });
      const server = createServer({ name: "s", version: "1" }, options);
      server.tool("work", { task: "always", handler: () => "done" });
      atEnd(() => server.close());
      return server;
    }),
  );
  const [one, two] = servers as [(typeof servers)[0], (typeof servers)[0]];
  const { taskId } = await call(one, "tools/call", { name: "work", arguments: {} }, { capabilities });
  const read = () => call(two, "tasks/get", { taskId: String(taskId) }, { capabilities });
  await expect.poll(async () => (await read()).status, { timeout: 10_000 }).toBe("completed");
});

test("rejects an unknown option, and servers without keys", async () => {
  const postgres = await connect();
  await expect(createPostgresServerOptions(postgres, { key: keys } as object)).rejects.toThrow("key");
  await expect(createPostgresServerOptions(postgres, { keys: undefined })).rejects.toThrow(
    "LETHE_KEYS or the option keys expected",
  );
});
