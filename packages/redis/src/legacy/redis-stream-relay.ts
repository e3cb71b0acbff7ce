// Forwards the posts of a client of 2024-11-05 to the process that holds its stream.

import { randomBytes } from "node:crypto";
import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { createMessageCipher, knownSharedKeys, ringOf, type SharedKeys } from "@lethe/server/sealing";
import type { RelayedPost, StreamRelay } from "@lethe/server/stores";
import type { RedisConnection } from "../connection/redis-connection.ts";
import { createMessaging } from "../messages/messaging.ts";

/** Options of `createRedisStreamRelay`. */
export interface RedisStreamRelayOptions extends SharedKeys {
  /** Size of one post as JSON, in bytes. Default 16 MiB. */
  maxBytes?: number;
}

const knownRedisStreamRelayOptions: KnownOptions<RedisStreamRelayOptions> = {
  ...knownSharedKeys,
  maxBytes: true,
};

/** Older messages are rejected as replayed, in ms. */
const ttlMs = 60_000;

/**
 * Creates the relay for the option `legacy.relay`. It works as long as the connection. Resolves when posts can arrive. Rejects
 * without keys.
 *
 * @example
 * import { connectRedis, createRedisStreamRelay } from "@lethe/redis";
 *
 * const redis = await connectRedis({ url: "redis://127.0.0.1:6379", prefix: "tracker:" });
 * const relay = await createRedisStreamRelay(redis, { keys: `k1:${"A".repeat(43)}` });
 * console.log(relay.address.length > 0); // true
 * redis.close();
 */
export async function createRedisStreamRelay(
  redis: RedisConnection,
  options: RedisStreamRelayOptions = {},
): Promise<StreamRelay> {
  checkOptions("createRedisStreamRelay", options, knownRedisStreamRelayOptions);
  const { maxBytes = 16 * 1024 * 1024 } = options;
  const cipher = await createMessageCipher(ringOf(options, "posts"), { purpose: "posts", ttlMs, maxBytes });
  const address = randomBytes(12).toString("base64url");
  const listeners = new Set<(post: RelayedPost) => void>();
  const messaging = createMessaging<RelayedPost>({ connection: redis, cipher, channel: "posts", self: address });
  await messaging.listen((_from, post) => {
    for (const listener of listeners) listener(post as unknown as RelayedPost);
  });
  return {
    address,
    send: async (to, post) => (await messaging.send(to, post)) > 0,
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
