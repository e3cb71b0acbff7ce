// Forwards responses of older clients to the process that runs their call. Each process subscribes to one channel, and the id of
// each input request names it. A subscription per call would cost a round trip for calls that mostly request no input, and one
// channel for all would send every response to every process. Only cancellations go to all: they are rare and name no process.

import { randomBytes } from "node:crypto";
import { checkOptions, type JsonObject, type KnownOptions } from "@lethe/protocol";
import { retryUntilAcknowledged, routeClientMessages } from "@lethe/server/forwarding";
import { createMessageCipher, knownSharedKeys, ringOf, type SharedKeys } from "@lethe/server/sealing";
import { type ClientMessageRelay, createMemoryClientMessageRelay } from "@lethe/server/stores";
import type { RedisConnection } from "../connection/redis-connection.ts";

/** Options of `createRedisClientMessageRelay`. */
export interface RedisClientMessageRelayOptions extends SharedKeys {
  /** Size of one response as JSON, in bytes. Default 16 MiB. */
  maxBytes?: number;
  /** Responses being sent at a time. Default 1,000. */
  maxSending?: number;
  /** Size of all responses being sent, in characters. Default 64 MiB. */
  maxSendingSize?: number;
  /** How long a response is resent while Redis or the receiving process is unreachable, in ms. Default 8,000. */
  patienceMs?: number;
  /** Called once, at the first message that could not be delivered. Default: console.warn. */
  onWarning?: (warning: string) => void;
}

const knownRedisClientMessageRelayOptions: KnownOptions<RedisClientMessageRelayOptions> = {
  ...knownSharedKeys,
  maxBytes: true,
  maxSending: true,
  maxSendingSize: true,
  patienceMs: true,
  onWarning: true,
};

const toAll = "answers";
/** Older messages are rejected as replayed, in ms. */
const ttlMs = 60_000;
const firstPauseMs = 250;

const undelivered =
  "a response of an older client was not delivered: the process that requested it has ended, or Redis is away";

/**
 * Creates the relay for the option `legacy.clientMessages`. It works as long as the connection. Resolves when responses can arrive.
 * Rejects without keys.
 *
 * @example
 * import { connectRedis, createRedisClientMessageRelay } from "@lethe/redis";
 *
 * const redis = await connectRedis({ url: "redis://127.0.0.1:6379", prefix: "tracker:" });
 * const relay = await createRedisClientMessageRelay(redis, { keys: `k1:${"A".repeat(43)}` });
 * console.log(typeof relay.address); // string
 * redis.close();
 */
export async function createRedisClientMessageRelay(
  redis: RedisConnection,
  options: RedisClientMessageRelayOptions = {},
): Promise<ClientMessageRelay> {
  checkOptions("createRedisClientMessageRelay", options, knownRedisClientMessageRelayOptions);
  const { maxBytes = 16 * 1024 * 1024, maxSending = 1_000, maxSendingSize = 64 * 1024 * 1024 } = options;
  const { patienceMs = 8_000, onWarning = console.warn } = options;
  const cipher = await createMessageCipher(ringOf(options, "answers"), { purpose: "answers", ttlMs, maxBytes });
  const here = createMemoryClientMessageRelay();
  const address = randomBytes(12).toString("base64url");
  let sendingCount = 0;
  let sendingSize = 0;
  let hasWarned = false;

  async function send(message: JsonObject, channel: string): Promise<void> {
    const text = toSealed(message, channel);
    if (!text || sendingCount >= maxSending || sendingSize + text.length > maxSendingSize) return warn();
    sendingCount += 1;
    sendingSize += text.length;
    try {
      const publish = () => redis.publish(channel, text).catch(() => 0);
      if (!(await retryUntilAcknowledged({ send: publish, patienceMs, firstPauseMs }))) warn();
    } finally {
      sendingCount -= 1;
      sendingSize -= text.length;
    }
  }

  function toSealed(message: JsonObject, channel: string): string | undefined {
    try {
      return cipher.seal(message, channel);
    } catch {
      // Larger than `maxBytes`.
      return undefined;
    }
  }

  function warn(): void {
    if (!hasWarned) onWarning(undelivered);
    hasWarned = true;
  }

  const { deliver, receive } = routeClientMessages({
    address,
    deliverHere: here.deliver,
    sendTo: (asker, message) => void send(message, channelOf(asker)),
    sendToAll: (message) => void send(message, toAll),
  });
  await Promise.all(
    [toAll, channelOf(address)].map((channel) =>
      redis.subscribe(channel, (text) => receive(cipher.open(text, channel))),
    ),
  );
  return { address, deliver, listen: here.listen };
}

function channelOf(address: string): string {
  return `${toAll}:${address}`;
}
