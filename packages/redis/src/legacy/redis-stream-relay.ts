// Brings what a client of 2024-11-05 posts to the process that holds its stream.
import { randomBytes } from "node:crypto";
import type { RelayedPost, StreamRelay } from "@lethe/server/stores";
import type { RedisConnection } from "../connection/redis-connection.ts";
import { openMail } from "../mail/mail.ts";
import { createEnvelope } from "../seal/envelope.ts";
import { ringOf, type SharedKeys } from "../seal/shared-keys.ts";

export interface RedisStreamRelayOptions extends SharedKeys {
  /** Of one post, as JSON. Default 16 MiB. */
  maxBytes?: number;
}

/** ms; messages that are older were not sent by us just now. */
const ttlMs = 60_000;

/** Ends with the connection. Resolves when posts can come. */
export async function createRedisStreamRelay(
  redis: RedisConnection,
  options: RedisStreamRelayOptions = {},
): Promise<StreamRelay> {
  const { maxBytes = 16 * 1024 * 1024 } = options;
  const envelope = await createEnvelope(ringOf(options, "posts"), { purpose: "posts", ttlMs, maxBytes });
  const address = randomBytes(12).toString("base64url");
  const listeners = new Set<(post: RelayedPost) => void>();
  const mail = await openMail<RelayedPost>({
    ...{ connection: redis, envelope, channel: "posts", self: address },
    onMessage(_from, post) {
      for (const listener of listeners) listener(post as unknown as RelayedPost);
    },
  });
  return {
    address,
    send: async (to, post) => (await mail.send(to, post)) > 0,
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
