// Shares the mutable state of older clients' sessions. A process reads a session once and is then notified of changes, so that
// requests rarely wait for Redis. A missed change is noticed within `maxAgeMs`.

import { randomBytes } from "node:crypto";
import { checkOptions, isJsonObject, type JsonObject, type KnownOptions, pickOptions } from "@lethe/protocol";
import { createMessageCipher, knownSharedKeys, ringOf, type SharedKeys } from "@lethe/server/sealing";
import {
  createSharedSessionStore,
  knownSharedSessionStoreOptions,
  type SessionStore,
  type SharedSessionStoreOptions,
  storeDefaults,
  type VersionedState,
} from "@lethe/server/stores";
import type { RedisConnection } from "../connection/redis-connection.ts";
import { createScript } from "../script/create-script.ts";

/** Options of `createRedisSessionStore`. */
export interface RedisSessionStoreOptions extends SharedKeys, SharedSessionStoreOptions {
  /** How long a state is kept after its last change, in ms. Default 30 days. */
  ttlMs?: number;
}

const knownRedisSessionStoreOptions: KnownOptions<RedisSessionStoreOptions> = {
  ...knownSharedKeys,
  ...knownSharedSessionStoreOptions,
  ttlMs: true,
};

const channel = "sessions";
/** Size of a state as JSON: enough for all URIs that a session may subscribe to. */
const maxBytes = 4 * 1024 * 1024;

/** KEYS: the session. ARGV: the expected value, the new value, its time to live in ms. */
const replace = `
if (redis.call("GET", KEYS[1]) or "") ~= ARGV[1] then return 0 end
redis.call("SET", KEYS[1], ARGV[2], "PX", ARGV[3])
return 1`;

/**
 * Creates the store for the option `legacy.store`. It works as long as the connection. While Redis is away, cached states remain
 * valid and changes reject with a retryable McpError. Resolves when changes can arrive. Rejects without keys.
 *
 * @example
 * import { connectRedis, createRedisSessionStore } from "@lethe/redis";
 *
 * const redis = await connectRedis({ url: "redis://127.0.0.1:6379", prefix: "tracker:" });
 * const sessions = await createRedisSessionStore(redis, { keys: `k1:${"A".repeat(43)}` });
 * console.log(await sessions.get("unknown")); // undefined
 * redis.close();
 */
export async function createRedisSessionStore(
  redis: RedisConnection,
  options: RedisSessionStoreOptions = {},
): Promise<SessionStore> {
  checkOptions("createRedisSessionStore", options, knownRedisSessionStoreOptions);
  const { ttlMs = storeDefaults.sessions.ttlMs } = options;
  const self = randomBytes(12).toString("base64url");
  const cipher = await createMessageCipher(ringOf(options, "sessions"), { purpose: "sessions", maxBytes });
  const replaceIn = createScript(redis, replace);
  const keyOf = (sessionId: string) => redis.nameOf(`session:${sessionId}`);
  const seal = (sessionId: string, { version, state }: VersionedState) =>
    cipher.seal({ version, state: { ...state } } as JsonObject, sessionId);
  const open = (sessionId: string, text: string) => toVersioned(cipher.open(text, sessionId));

  const store = createSharedSessionStore<string>(
    {
      async read(sessionId) {
        const text = (await redis.client.get(keyOf(sessionId))) ?? "";
        return { stamp: text, found: text === "" ? undefined : open(sessionId, text) };
      },
      async write(sessionId, state, { stamp, newest }) {
        // Versions increase even after Redis has lost all of them.
        const version = Math.max(newest + 1, Date.now());
        const text = seal(sessionId, { version, state });
        return (await replaceIn([keyOf(sessionId)], [stamp, text, ttlMs])) === 1 ? version : undefined;
      },
      delete: (sessionId) => redis.client.del(keyOf(sessionId)),
      announce: (sessionId, state) => redis.publish(channel, `${self} ${sessionId} ${seal(sessionId, state)}`),
    },
    pickOptions<SharedSessionStoreOptions>(options, knownSharedSessionStoreOptions),
  );
  await redis.subscribe(channel, (message) => {
    const [from, sessionId = "", text = ""] = message.split(" ", 3);
    if (from === self || !store.isOfInterest(sessionId)) return;
    const state = open(sessionId, text);
    if (state) store.learn(sessionId, state);
  });
  return store;
}

/** The encryption proves that one of our processes wrote it. */
function toVersioned(value: JsonObject | undefined): VersionedState | undefined {
  return value && typeof value.version === "number" && isJsonObject(value.state) ? (value as never) : undefined;
}
