// Changes that one process makes, for whoever listens in any of them (E-13): one channel, as each change may concern streams
// everywhere.
import { randomBytes } from "node:crypto";
import { isJsonObject } from "@lethe/protocol";
import { type Bus, type Change, createMemoryBus } from "@lethe/server";
import type { RedisConnection } from "../connection/redis-connection.ts";
import { createSealedJson, type SharedKeys } from "../seal/sealed-json.ts";
import { createInOrder } from "./in-order.ts";

export interface RedisBusOptions extends SharedKeys {
  /** Of one change, as JSON; one that is larger is told in its own process only. Default 4 MiB. */
  maxBytes?: number;
  /** Changes that wait to be sent, and as many that wait to be told; one too many is left out. Default 10,000. */
  maxWaiting?: number;
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
  const { keys, maxBytes = 4 * 1024 * 1024, maxWaiting = 10_000, onWarning = console.warn } = options;
  const sealed = createSealedJson({ keys, purpose: "changes", ttlMs, maxBytes });
  const here = createMemoryBus();
  const self = randomBytes(12).toString("base64url");
  const outgoing = createInOrder(maxWaiting);
  const incoming = createInOrder(maxWaiting);
  let hasWarned = false;

  function warn(): void {
    if (!hasWarned) onWarning(lost);
    hasWarned = true;
  }

  async function send(change: Change): Promise<void> {
    try {
      const text = await sealed.seal({ change }, channel);
      // Not awaited: what follows goes the same way, and arrives later.
      redis.publish(channel, `${self} ${text}`).catch(warn);
    } catch {
      warn();
    }
  }

  async function hear(text: string): Promise<void> {
    const { change } = (await sealed.open(text, channel)) ?? {};
    if (isJsonObject(change)) here.publish(change as Change);
  }

  const stopHearing = await redis.subscribe(channel, (message) => {
    const [from, text = ""] = message.split(" ", 2);
    if (from !== self && !incoming.add(() => hear(text))) warn();
  });
  const stopWaiting = redis.onHearingAgain(() => {
    for (const kind of lists) here.publish({ kind });
  });
  return {
    publish(change) {
      here.publish(change);
      if (!outgoing.add(() => send(change))) warn();
    },
    subscribe: here.subscribe,
    close() {
      stopHearing();
      stopWaiting();
      return here.close?.();
    },
  };
}
