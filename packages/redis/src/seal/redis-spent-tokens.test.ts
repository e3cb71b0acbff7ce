import { once } from "node:events";
import { expect, test } from "vitest";
import { useRedis } from "../testing/own-redis.ts";
import { createRedisSpentTokens } from "./redis-spent-tokens.ts";

const { connect, start } = useRedis();

test("a token is spent once, whichever processes try, and forgotten when it has expired (E-28)", async () => {
  const connections = [await connect(), await connect(), await connect()];
  const expiresAt = Date.now() + 60_000.5;
  const spent = await Promise.all(connections.map((it) => createRedisSpentTokens(it).spend("a", expiresAt)));
  expect(spent.toSorted()).toEqual([false, false, true]);
  const [{ client, nameOf }] = connections as [Awaited<ReturnType<typeof connect>>];
  expect(await client.pttl(nameOf("spent:a"))).toBeLessThanOrEqual(60_001);
});

test("while Redis is away nothing is spent, and the caller is to come again", async () => {
  const own = await start();
  const connection = await connect({ url: own.url });
  await Promise.all([own.stop(), once(connection.client, "close")]);
  const spending = createRedisSpentTokens(connection).spend("a", Date.now() + 1_000);
  await expect(spending).rejects.toMatchObject({ data: { retryAfterMs: 1_000 } });
});
