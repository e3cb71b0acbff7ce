// Brings what a client of 2024-11-05 posts to the process that holds its stream, over a channel of that process. A post that was
// caught on its way and is published again is known by its number.
import { randomBytes } from "node:crypto";
import type { JsonObject } from "@lethe/protocol";
import type { RelayedPost, StreamRelay } from "@lethe/server";
import type { RedisConnection } from "../connection/redis-connection.ts";
import { createEnvelope } from "../seal/envelope.ts";
import { ringOf, type SharedKeys } from "../seal/shared-keys.ts";

export interface RedisStreamRelayOptions extends SharedKeys {
  /** Of one post, as JSON. Default 16 MiB. */
  maxBytes?: number;
}

/** ms; messages that are older were not sent by us just now. */
const ttlMs = 60_000;
/** Processes that have been heard of; each start of one counts. */
const maxSenders = 10_000;

/** Ends with the connection. Resolves when posts can come. */
export async function createRedisStreamRelay(
  redis: RedisConnection,
  options: RedisStreamRelayOptions = {},
): Promise<StreamRelay> {
  const { maxBytes = 16 * 1024 * 1024 } = options;
  const envelope = await createEnvelope(ringOf(options, "posts"), { purpose: "posts", ttlMs, maxBytes });
  const address = randomBytes(12).toString("base64url");
  const listeners = new Set<(post: RelayedPost) => void>();
  const lastHeard = new Map<string, number>();
  let lastSent = 0;

  await redis.subscribe(channelOf(address), (text) => {
    const opened = envelope.open(text, address);
    if (!opened) return;
    const { from, number, post } = opened as { from: string; number: number; post: RelayedPost };
    if (number <= (lastHeard.get(from) ?? 0)) return;
    lastHeard.delete(from);
    lastHeard.set(from, number);
    if (lastHeard.size > maxSenders) lastHeard.delete(lastHeard.keys().next().value as string);
    for (const listener of listeners) listener(post);
  });
  return {
    address,
    // Sealed and written at once, so that the order is that of the calls.
    async send(to, post) {
      lastSent += 1;
      const message: JsonObject = { from: address, number: lastSent, post };
      return (await redis.publish(channelOf(to), envelope.seal(message, to))) > 0;
    },
    hear(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function channelOf(address: string): string {
  return `posts:${address}`;
}
