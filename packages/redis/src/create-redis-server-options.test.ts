import { createServer } from "@lethe/server";
import type { SingleUseStore } from "@lethe/server/stores";
import { expect, test, vi } from "vitest";
import { contentOf, entryOf, handBack, idsAcquiredBy, taskOf } from "../../server/src/contracts/sample-tasks.ts";
import { createRedisServerOptions } from "./create-redis-server-options.ts";
import { createRedisRateCounter } from "./limits/redis-rate-counter.ts";
import { keys, useRedis } from "./testing/own-redis.ts";

const { connect, start, atEnd } = useRedis();

test("the ACL rule of the README permits every operation and no key outside of the prefix", async () => {
  const own = await start();
  const rights = "+@read +@write +@pubsub +@scripting +@connection +info +time";
  const account = ["counter", "on", ">secret", "~counter:*", "&counter:*", ...rights.split(" ")];
  await (await connect({ url: own.url })).client.call("ACL", "SETUSER", ...account);
  const redis = await connect({ url: own.url.replace("//", "//counter:secret@"), prefix: "counter:" });
  const onWarning = vi.fn();
  const { legacy, singleUse, subscriptions, tasks } = await createRedisServerOptions(redis, { keys, onWarning });
  const server = createServer({ name: "counter", version: "1" }, { legacy, singleUse, subscriptions, tasks });
  atEnd(() => server.close());

  const { store } = tasks;
  await store.create(taskOf("t", { owner: "ann" }), contentOf("w"));
  await store.update("t", (task) => ({ ...task, statusMessage: "half" }));
  await store.append({ taskId: "t", fence: 1 }, 0, [entryOf("one")]);
  await store.update("t", handBack);
  expect(await idsAcquiredBy(store, "v")).toEqual(["t"]);
  expect(await store.renew("v", 1_000)).toHaveLength(1);
  expect(await store.counts()).toMatchObject({ running: 1 });
  await store.retire("v");
  await store.sweep();
  await legacy.store?.update("s", (state) => ({ ...state, isTerminated: true }));
  expect(await legacy.store?.get("s")).toEqual({ isTerminated: true });
  await legacy.store?.forget("s");
  const stream = { sessionId: "s", streamId: "a" };
  legacy.events?.begin(stream);
  legacy.events?.append(stream, 1, "text");
  legacy.events?.end(stream);
  const event = vi.fn();
  await vi.waitFor(async () => expect(await legacy.events?.follow(stream, 0, { event, end() {} })).toBeDefined());
  expect(event).toHaveBeenCalledExactlyOnceWith(1, "text");
  legacy.clientMessages?.deliver("s", { jsonrpc: "2.0", method: "notifications/cancelled" });
  server.toolsChanged();
  expect(
    await createRedisRateCounter(redis, { onWarning, patienceMs: 10_000 }).take("ann", { max: 1, windowMs: 1_000 }),
  ).toBe(0);
  const round = { id: "a", callerId: "ann", expiresAt: Date.now() + 1_000, inputs: "yes" };
  const { claim, settle, release } = singleUse as SingleUseStore;
  expect(await claim(round)).toEqual({ status: "claimed" });
  await settle(round, "answer");
  expect(await claim(round)).toEqual({ status: "answered", answer: "answer" });
  await release(round);
  expect(await claim(round)).toEqual({ status: "claimed" });
  await redis.client.ping();
  expect(onWarning).not.toHaveBeenCalled();
  await expect(redis.client.get("other")).rejects.toThrow("NOPERM");
});
