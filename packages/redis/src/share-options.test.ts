// What replicas cannot share by, at any Redis.
import { createKeyRing } from "@lethe/server/stores";
import { expect, test } from "vitest";
import { type RedisShareSettings, shareByRedis } from "./share-by-redis.ts";
import { ring } from "./testing/replicas.ts";

/** No Redis listens there. */
const url = "redis://127.0.0.1:1";

function share(settings: Partial<RedisShareSettings>, keys = ring) {
  const parts = { dispatchAt: () => undefined, onLost() {}, onBack() {}, onProblem() {} };
  return shareByRedis({ ...parts, ring: keys, settings: { url, ...settings } });
}

test("keys that end with the process are refused before Redis is reached", async () => {
  await expect(share({}, createKeyRing())).rejects.toThrow("replicas that share Redis need the same keys (LETHE_KEYS)");
});

test.each([
  [{ leaseMs: 10 }, "leaseMs must be a whole number of at least 50"],
  [{ address: "here" }, "gateway.redis.address must be host:port"],
  [{ direct: { listen: "here" } }, "gateway.redis.direct.listen must be host:port"],
])("the setting %j is refused before Redis is reached", async (settings, reason) => {
  await expect(share(settings)).rejects.toThrow(reason);
});
