import { afterEach, expect, test } from "vitest";
import { checkRedis } from "./check-redis.ts";
import { connectRedis } from "./connection/redis-connection.ts";
import { startRedis } from "./testing/redis-server.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const rights = ["~lethe:*", "&lethe:*", "+@read", "+@write", "+@pubsub", "+@scripting", "+@connection", "+info"];

/** Returns the URL of a new Redis with an account that has these rights. */
async function startWith(...given: string[]): Promise<string> {
  const redis = await startRedis();
  ends.push(() => redis.stop());
  const { client, close } = await connectRedis({ url: redis.url });
  await client.call("ACL", "SETUSER", "lethe", "on", ">word", ...given);
  close();
  return redis.url.replace("//", "//lethe:word@");
}

test("an account with the documented rights is sufficient", async () => {
  expect(await checkRedis({ url: await startWith(...rights) })).toEqual({ isReached: true });
});

test.each([
  ["+info", "info"],
  ["+@scripting", "eval"],
  ["~lethe:*", "key"],
])("an account without %s is a problem that names what it lacks", async (right, lacking) => {
  const { problem } = await checkRedis({ url: await startWith(...rights.filter((each) => each !== right)) });
  expect(problem).toContain("NOPERM");
  expect(problem).toContain(lacking);
});

test.each([["+@pubsub"], ["&lethe:*"]])(
  "an account without %s gets advice about its rights and not about its password",
  async (right) => {
    const { problem } = await checkRedis({
      url: await startWith("resetchannels", ...rights.filter((each) => each !== right)),
    });
    expect(problem).toMatch(/^NOPERM .*; give its account ~lethe:\* &lethe:\* \+@read /);
  },
);
