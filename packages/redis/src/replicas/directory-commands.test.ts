// How many commands a forwarded request costs Redis.
import type { Dispatch, Result } from "@lethe/protocol";
import { systemClock } from "@lethe/server/stores";
import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { createFakeExchange } from "../../../gateway/src/testing/fakes.ts";
import { callOf, useReplicas } from "../testing/replicas.ts";

const startReplicas = useReplicas();
const done: Result = { resultType: "complete", content: [] };

test("a request to the known owner of its session costs two messages and no other command, also after a pause", async () => {
  const { join, redis } = await startReplicas();
  const owner = await join({ dispatchAt: () => async () => done });
  let stalledMs = 0;
  const sender = await join({ clock: { ...systemClock, now: () => systemClock.now() + stalledMs } });
  await owner.acquire("session");
  const forward = async () => {
    const { owner: replica } = await sender.acquire("session");
    return ((await sender.reach(replica, "/mcp")) as Dispatch)(callOf("t"), createFakeExchange());
  };
  await forward();
  await expect.poll(() => sender.others, { timeout: 20_000 }).toEqual([owner.self]);
  // Longer than a message of the owner counts.
  stalledMs = 400;
  const client = new Redis(redis.url);
  const seen: string[] = [];
  const monitor = await client.monitor();
  monitor.on("monitor", (_time: string, [command, name = ""]: string[], source: string) => {
    // Scripts of leases and lists run in any case.
    if (
      source !== "lua" &&
      (command?.toLowerCase() === "publish" ? name.includes(":replica:") : /claim|lease:/.test(name))
    )
      seen.push(String(command).toLowerCase());
    if (source === "lua" && name.includes("claim:")) seen.push("claim");
  });
  for (let call = 0; call < 5; call += 1) await forward();
  await expect.poll(() => seen.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(10);
  monitor.disconnect();
  client.disconnect();
  expect(seen).toEqual(Array(10).fill("publish"));
});
