// Changes that one process makes, for whoever listens in any of them (E-13): one channel, as each change may concern streams
// everywhere.
import { randomBytes } from "node:crypto";
import { isJsonObject } from "@lethe/protocol";
import { type Bus, type Change, createMemoryBus } from "@lethe/server/stores";
import type { RedisConnection } from "../connection/redis-connection.ts";
import { createEnvelope } from "../seal/envelope.ts";
import { ringOf, type SharedKeys } from "../seal/shared-keys.ts";

export interface RedisBusOptions extends SharedKeys {
  /** Of one change, as JSON; one that is larger is told in its own process only. Default 4 MiB. */
  maxBytes?: number;
  /** Changes that are on their way at a time; one too many is told in its own process only. Default 10,000. */
  maxSending?: number;
  /** Told once, of the first change that not every process was told of. Default: console.warn. */
  onWarning?: (warning: string) => void;
}

const channel = "changes";
/** ms; messages that are older were not sent by us just now. */
const ttlMs = 60_000;
const lost = "a change was not told to the other processes";
const lists = ["tools", "prompts", "resources"] as const;

/**
 * Own listeners hear of a change before `publish` returns, and when Redis is away only they do. When it is back, listeners hear
 * that every list may have changed. Resolves when changes can come.
 */
export async function createRedisBus(redis: RedisConnection, options: RedisBusOptions = {}): Promise<Bus> {
  const { maxBytes = 4 * 1024 * 1024, maxSending = 10_000, onWarning = console.warn } = options;
  const envelope = await createEnvelope(ringOf(options, "changes"), { purpose: "changes", ttlMs, maxBytes });
  const here = createMemoryBus();
  const self = randomBytes(12).toString("base64url");
  let sendingCount = 0;
  let hasWarned = false;

  function warn(): void {
    if (!hasWarned) onWarning(lost);
    hasWarned = true;
  }

  /** Sealed and written at once, so that the order is that of the changes. */
  async function send(change: Change): Promise<void> {
    if (sendingCount >= maxSending) return warn();
    sendingCount += 1;
    try {
      await redis.publish(channel, `${self} ${envelope.seal({ change }, channel)}`);
    } catch {
      warn();
    } finally {
      sendingCount -= 1;
    }
  }

  const stopHearing = await redis.subscribe(channel, (message) => {
    const [from, text = ""] = message.split(" ", 2);
    const { change } = (from !== self && envelope.open(text, channel)) || {};
    if (isJsonObject(change)) here.publish(change as Change);
  });
  const stopWaiting = redis.onHearingAgain(() => {
    for (const kind of lists) here.publish({ kind });
  });
  return {
    publish(change) {
      here.publish(change);
      void send(change);
    },
    subscribe: here.subscribe,
    close() {
      void stopHearing();
      stopWaiting();
      return here.close?.();
    },
  };
}
