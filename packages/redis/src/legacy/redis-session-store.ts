// Shares the mutable state of older clients' sessions. A process reads a session once and is then notified of changes, so that
// requests rarely wait for Redis. A missed change is noticed within `maxAgeMs`.

import { randomBytes } from "node:crypto";
import {
  checkOptions,
  isJsonObject,
  isMcpError,
  type JsonObject,
  type KnownOptions,
  overloaded,
} from "@lethe/protocol";
import { createMessageCipher, knownSharedKeys, ringOf, type SharedKeys } from "@lethe/server/sealing";
import {
  createKnownSessions,
  type SessionState,
  type SessionStore,
  storeDefaults,
  type VersionedState,
} from "@lethe/server/stores";
import type { RedisConnection } from "../connection/redis-connection.ts";
import { createScript } from "../script/create-script.ts";
import { createTurns } from "../script/take-turns.ts";

/** Options of `createRedisSessionStore`. */
export interface RedisSessionStoreOptions extends SharedKeys {
  /** How long a state is kept after its last change, in ms. Default 30 days. */
  ttlMs?: number;
  /** How long a process uses a cached state before it reads it again, in ms. Default 10,000. */
  maxAgeMs?: number;
  /** Sessions in the cache of a process; the least recently used is dropped first. Default 10,000. */
  maxSessions?: number;
  /** Size of the cache in characters. Default 16 MiB. */
  maxSize?: number;
}

const knownRedisSessionStoreOptions: KnownOptions<RedisSessionStoreOptions> = {
  ...knownSharedKeys,
  ttlMs: true,
  maxAgeMs: true,
  maxSessions: true,
  maxSize: true,
};

const channel = "sessions";
/** Size of a state as JSON: enough for all URIs that a session may subscribe to. */
const maxBytes = 4 * 1024 * 1024;
/** An attempt fails only if another process changed the state meanwhile. */
const maxAttempts = 50;
const retryAfterMs = 1_000;

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
  const { ttlMs = storeDefaults.sessions.ttlMs, maxAgeMs = 10_000 } = options;
  const self = randomBytes(12).toString("base64url");
  const cipher = await createMessageCipher(ringOf(options, "sessions"), { purpose: "sessions", maxBytes });
  const known = createKnownSessions(options);
  const replaceIn = createScript(redis, replace);
  const takeTurn = createTurns();
  const keyOf = (sessionId: string) => redis.nameOf(`session:${sessionId}`);

  function receiveUpdate(message: string): void {
    const [from, sessionId = "", text = ""] = message.split(" ", 3);
    if (from === self || !known.isOfInterest(sessionId)) return;
    const state = toVersioned(cipher.open(text, sessionId));
    if (state) known.learn(sessionId, state);
  }

  async function load(sessionId: string): Promise<[text: string, state: VersionedState]> {
    const text = (await redis.client.get(keyOf(sessionId))) ?? "";
    const state = toVersioned(text === "" ? undefined : cipher.open(text, sessionId)) ?? { version: 0 };
    return [text, known.learn(sessionId, state)];
  }

  async function change(sessionId: string, by: (state: SessionState) => SessionState): Promise<void> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const [before, { version, state = {} }] = await load(sessionId);
      // Versions increase even after Redis has lost all of them.
      const next = { version: Math.max(version + 1, Date.now()), state: by(state) };
      const text = cipher.seal(next, sessionId);
      if ((await replaceIn([keyOf(sessionId)], [before, text, ttlMs])) !== 1) continue;
      known.learn(sessionId, next);
      // Without it, the other processes read the change later.
      await redis.publish(channel, `${self} ${sessionId} ${text}`).catch(() => {});
      return;
    }
    throw new Error(`a session was changed concurrently ${maxAttempts} times`);
  }

  await redis.subscribe(channel, receiveUpdate);
  return {
    get(sessionId) {
      const at = known.get(sessionId);
      if (at && Date.now() - at.learnedAt < maxAgeMs) return at.state;
      return load(sessionId).then(
        ([, { state }]) => state,
        () => at?.state,
      );
    },
    async update(sessionId, by) {
      try {
        await takeTurn(sessionId, () => change(sessionId, by));
      } catch (error) {
        throw isMcpError(error) ? error : overloaded("session state cannot be written now", retryAfterMs);
      }
    },
    async forget(sessionId) {
      known.forget(sessionId);
      await redis.client.del(keyOf(sessionId)).catch(() => {});
    },
    watch: known.watch,
  };
}

/** The encryption proves that one of our processes wrote it. */
function toVersioned(value: JsonObject | undefined): VersionedState | undefined {
  return value && typeof value.version === "number" && isJsonObject(value.state) ? (value as never) : undefined;
}
