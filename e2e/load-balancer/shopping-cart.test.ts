// A cart of three processes, each of which is killed after it has served a call.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connect } from "@lethe/client/node";
import { afterEach, expect, it } from "vitest";
import { startRedis } from "../../packages/redis/src/testing/redis-server.ts";
import { deploy } from "./deployment.ts";

const replica = fileURLToPath(new URL("shopping-cart-replica.mjs", import.meta.url));
const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** The arguments with which each process finds the carts. */
const stores: Record<string, () => Promise<string[]>> = {
  "without any store": async () => [],
  async "in a file"() {
    const folder = await mkdtemp(join(tmpdir(), "lethe-carts-"));
    cleanups.push(() => rm(folder, { recursive: true }));
    return ["--file", join(folder, "carts.mdb")];
  },
  async "in Redis"() {
    const redis = await startRedis();
    cleanups.push(redis.stop);
    return ["--redis", redis.url];
  },
};

it.each(Object.keys(stores))("a cart %s survives the loss of every process that has served it", async (name) => {
  const deployment = await deploy(replica, await stores[name]?.());
  cleanups.push(deployment.stop);
  let handle: { cart_handle?: string } = {};
  const called: string[] = [];
  for (const [index, article] of ["tea", "milk", "sugar", "lemon"].entries()) {
    const url = deployment.urls[index % 3] as string;
    const client = await connect(url);
    const result = await client.callTool("add_to_cart", { name: article, ...handle });
    await client.close();
    handle = result._meta?.["lethe/session_handles"] as { cart_handle: string };
    called.push((result.content[0] as { text: string }).text);
    // The process that served the call is gone before the next one. The fourth call goes to the first process, which is back.
    await deployment.kill(index % 3);
    if (index === 1) await deployment.revive(0);
  }
  expect(called.at(-1)).toBe("The cart contains 1 × tea, 1 × milk, 1 × sugar, 1 × lemon.");
});
