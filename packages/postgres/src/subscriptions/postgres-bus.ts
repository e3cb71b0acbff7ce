// Publishes changes to the listeners of all processes (E-13), over one channel: any process may have a stream for a change.

import { randomBytes } from "node:crypto";
import { checkOptions, isJsonObject, type KnownOptions } from "@lethe/protocol";
import { createMessageCipher, knownSharedKeys, ringOf, type SharedKeys } from "@lethe/server/sealing";
import { type Bus, type Change, createMemoryBus } from "@lethe/server/stores";
import type { PostgresLink } from "../connection/postgres-link.ts";

/** Options of `createPostgresBus`. */
export interface PostgresBusOptions extends SharedKeys {
  /** Size of one change as JSON, in bytes. A larger change reaches its own process only. Default 4 MiB. */
  maxBytes?: number;
  /** Changes being published at a time. Further changes reach their own process only. Default 10,000. */
  maxSending?: number;
  /** Called once, at the first change that did not reach every process. Default: console.warn. */
  onWarning?: (warning: string) => void;
}

const knownPostgresBusOptions: KnownOptions<PostgresBusOptions> = {
  ...knownSharedKeys,
  maxBytes: true,
  maxSending: true,
  onWarning: true,
};

const channel = "changes";
/** Older messages are rejected as replayed, in ms. */
const ttlMs = 60_000;
const lost = "a change did not reach the other processes";
const lists = ["tools", "prompts", "resources"] as const;

/**
 * Creates a bus over LISTEN and NOTIFY for the option `subscriptions.bus`. Listeners of the same process are called before `publish`
 * returns; while PostgreSQL is away, only they are called. After a reconnect all listeners get a change of every list. Resolves when
 * changes can arrive. Rejects without keys.
 *
 * @example
 * import { connectPostgres, createPostgresBus } from "@lethe/postgres";
 *
 * const postgres = await connectPostgres({ url: "postgres://lethe@127.0.0.1:5432/lethe", prefix: "tracker:" });
 * const bus = await createPostgresBus(postgres, { keys: `k1:${"A".repeat(43)}` });
 * bus.subscribe((change) => console.log(change));
 * bus.publish({ kind: "tools" });
 * await postgres.close();
 */
export async function createPostgresBus(
  postgres: Pick<PostgresLink, "publish" | "subscribe" | "onResubscribed">,
  options: PostgresBusOptions = {},
): Promise<Bus> {
  checkOptions("createPostgresBus", options, knownPostgresBusOptions);
  const { maxBytes = 4 * 1024 * 1024, maxSending = 10_000, onWarning = console.warn } = options;
  const cipher = await createMessageCipher(ringOf(options, "changes"), { purpose: "changes", ttlMs, maxBytes });
  const here = createMemoryBus();
  const self = randomBytes(12).toString("base64url");
  let sendingCount = 0;
  let hasWarned = false;

  function warn(): void {
    if (!hasWarned) onWarning(lost);
    hasWarned = true;
  }

  /** Encrypted and queued synchronously, so that changes keep their order. */
  async function send(change: Change): Promise<void> {
    if (sendingCount >= maxSending) return warn();
    sendingCount += 1;
    try {
      await postgres.publish(channel, `${self} ${cipher.seal({ change }, channel)}`);
    } catch {
      warn();
    } finally {
      sendingCount -= 1;
    }
  }

  const unsubscribe = await postgres.subscribe(channel, (message) => {
    const [from, text = ""] = message.split(" ", 2);
    const { change } = (from !== self && cipher.open(text, channel)) || {};
    if (isJsonObject(change)) here.publish(change as Change);
  });
  const removeListener = postgres.onResubscribed(() => {
    for (const kind of lists) here.publish({ kind });
  });
  return {
    publish(change) {
      here.publish(change);
      void send(change);
    },
    subscribe: here.subscribe,
    close() {
      void unsubscribe();
      removeListener();
      return here.close?.();
    },
  };
}
