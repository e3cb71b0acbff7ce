// Brings what an older client posts to the process that runs its call, whichever process it was posted to. Each process hears
// one channel of its own for its whole life, which the id of each question names: a subscription per call would be a round trip
// for calls that mostly ask nothing, and one channel for all would bring each answer to every process. Only cancellations,
// which are rare and name no process, go to all.
import { randomBytes } from "node:crypto";
import { isJsonObject, isResponse, type JsonObject, notificationMethod } from "@lethe/protocol";
import { type AnswerExchange, type ClientMessage, createMemoryAnswerExchange } from "@lethe/server/stores";
import type { RedisConnection } from "../connection/redis-connection.ts";
import { untilHeard } from "../mail/until-heard.ts";
import { createEnvelope } from "../seal/envelope.ts";
import { ringOf, type SharedKeys } from "../seal/shared-keys.ts";

export interface RedisAnswerExchangeOptions extends SharedKeys {
  /** Of one answer, as JSON. Default 16 MiB. */
  maxBytes?: number;
  /** Answers that are on their way at a time. Default 1,000. */
  maxSending?: number;
  /** Characters of all that are on their way. Default 64 MiB. */
  maxSendingSize?: number;
  /** How long a Redis that is away, or a process that has lost it, is waited for. Default 8,000 ms. */
  patienceMs?: number;
  /** Told once, of the first word that could not be brought anywhere. Default: console.warn. */
  onWarning?: (warning: string) => void;
}

const toAll = "answers";
const addressPattern = /^[A-Za-z0-9_-]{1,32}$/;
/** ms; messages that are older were not sent by us just now. */
const ttlMs = 60_000;
/** ms. */
const firstPauseMs = 250;

const unheard = "what an older client posted reached no process: the one that asked has ended, or Redis is away";

/** Ends with the connection. Resolves when answers can come. */
export async function createRedisAnswerExchange(
  redis: RedisConnection,
  options: RedisAnswerExchangeOptions = {},
): Promise<AnswerExchange> {
  const { maxBytes = 16 * 1024 * 1024, maxSending = 1_000, maxSendingSize = 64 * 1024 * 1024 } = options;
  const { patienceMs = 8_000, onWarning = console.warn } = options;
  const envelope = await createEnvelope(ringOf(options, "answers"), { purpose: "answers", ttlMs, maxBytes });
  const here = createMemoryAnswerExchange();
  const address = randomBytes(12).toString("base64url");
  let sendingCount = 0;
  let sendingSize = 0;
  let hasWarned = false;

  function hear(text: string, channel: string): void {
    const message = envelope.open(text, channel);
    if (!message || message.from === address || typeof message.sessionId !== "string") return;
    if (isJsonObject(message.word)) here.deliver(message.sessionId, message.word as unknown as ClientMessage);
  }

  async function send(message: JsonObject, channel: string): Promise<void> {
    const text = toSealed(message, channel);
    if (!text || sendingCount >= maxSending || sendingSize + text.length > maxSendingSize) return warn();
    sendingCount += 1;
    sendingSize += text.length;
    try {
      const publish = () => redis.publish(channel, text).catch(() => 0);
      if (!(await untilHeard({ send: publish, patienceMs, firstPauseMs }))) warn();
    } finally {
      sendingCount -= 1;
      sendingSize -= text.length;
    }
  }

  function toSealed(message: JsonObject, channel: string): string | undefined {
    try {
      return envelope.seal(message, channel);
    } catch {
      // Larger than may be.
      return undefined;
    }
  }

  function warn(): void {
    if (!hasWarned) onWarning(unheard);
    hasWarned = true;
  }

  await Promise.all(
    [toAll, channelOf(address)].map((channel) => redis.subscribe(channel, (text) => hear(text, channel))),
  );
  return {
    address,
    deliver(sessionId, word) {
      const message = { from: address, sessionId, word: word as unknown as JsonObject };
      if (!isResponse(word)) {
        here.deliver(sessionId, word);
        if (word.method === notificationMethod.cancelled) void send(message, toAll);
        return;
      }
      const asker = typeof word.id === "string" ? word.id.slice(0, Math.max(0, word.id.indexOf("."))) : "";
      if (asker === address) here.deliver(sessionId, word);
      else if (addressPattern.test(asker)) void send(message, channelOf(asker));
    },
    listen: here.listen,
  };
}

function channelOf(address: string): string {
  return `${toAll}:${address}`;
}
