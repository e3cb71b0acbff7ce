// What changes in sessions of older clients, for all processes. Each reads a session once and then hears of its changes, so
// that a request rarely waits for Redis; what it missed it finds out within `maxAgeMs`.
import { randomBytes } from "node:crypto";
import { isJsonObject, isMcpError, type JsonObject, overloaded } from "@lethe/protocol";
import type { SessionState, SessionStore } from "@lethe/server/stores";
import type { RedisConnection } from "../connection/redis-connection.ts";
import { createScript } from "../script/create-script.ts";
import { createTurns } from "../script/take-turns.ts";
import { createEnvelope } from "../seal/envelope.ts";
import { ringOf, type SharedKeys } from "../seal/shared-keys.ts";
import { createKnownSessions, type VersionedState } from "./known-sessions.ts";

export interface RedisSessionStoreOptions extends SharedKeys {
  /** How long a state is kept after its last change. Default 30 days. */
  ttlMs?: number;
  /** How long a process trusts what it knows of a session without hearing of a change. Default 10,000 ms. */
  maxAgeMs?: number;
  /** Of which a process remembers the state; the one that was asked for longest ago makes room. Default 10,000. */
  maxSessions?: number;
  /** Characters of what a process remembers. Default 16 MiB. */
  maxSize?: number;
}

const channel = "sessions";
/** As JSON: as many URIs as one session may subscribe to. */
const maxBytes = 4 * 1024 * 1024;
/** Each attempt fails only because another process was quicker. */
const maxAttempts = 50;
const retryAfterMs = 1_000;

/** KEYS: the session, the channel. ARGV: what stands there, what shall, how long in ms, and what the channel is told. */
const replace = `
if (redis.call("GET", KEYS[1]) or "") ~= ARGV[1] then return 0 end
redis.call("SET", KEYS[1], ARGV[2], "PX", ARGV[3])
redis.call("PUBLISH", KEYS[2], ARGV[4])
return 1`;

/**
 * Ends with the connection. While Redis is away, sessions go on as they are known, and changes are refused. Resolves when it
 * hears of changes.
 */
export async function createRedisSessionStore(
  redis: RedisConnection,
  options: RedisSessionStoreOptions = {},
): Promise<SessionStore> {
  const { ttlMs = 30 * 86_400_000, maxAgeMs = 10_000 } = options;
  const self = randomBytes(12).toString("base64url");
  const envelope = await createEnvelope(ringOf(options, "sessions"), { purpose: "sessions", maxBytes });
  const known = createKnownSessions(options);
  const replaceIn = createScript(redis, replace);
  const takeTurn = createTurns();
  const keyOf = (sessionId: string) => redis.nameOf(`session:${sessionId}`);

  function hear(message: string): void {
    const [from, sessionId = "", text = ""] = message.split(" ", 3);
    if (from === self || !known.isOfInterest(sessionId)) return;
    const state = toVersioned(envelope.open(text, sessionId));
    if (state) known.learn(sessionId, state);
  }

  async function load(sessionId: string): Promise<[text: string, state: VersionedState]> {
    const text = (await redis.client.get(keyOf(sessionId))) ?? "";
    const state = toVersioned(text === "" ? undefined : envelope.open(text, sessionId)) ?? { version: 0 };
    return [text, known.learn(sessionId, state)];
  }

  async function change(sessionId: string, by: (state: SessionState) => SessionState): Promise<void> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const [before, { version, state = {} }] = await load(sessionId);
      // Also after Redis has lost all versions, each is higher than those before.
      const next = { version: Math.max(version + 1, Date.now()), state: by(state) };
      const text = envelope.seal(next, sessionId);
      const keys = [keyOf(sessionId), redis.nameOf(channel)];
      if ((await replaceIn(keys, [before, text, ttlMs, `${self} ${sessionId} ${text}`])) !== 1) continue;
      known.learn(sessionId, next);
      return;
    }
    throw new Error(`a session was changed ${maxAttempts} times meanwhile`);
  }

  await redis.subscribe(channel, hear);
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
        throw isMcpError(error) ? error : overloaded("what sessions share cannot be written now", retryAfterMs);
      }
    },
    async forget(sessionId) {
      known.forget(sessionId);
      await redis.client.del(keyOf(sessionId)).catch(() => {});
    },
    watch: known.watch,
  };
}

/** It was sealed by one of us. */
function toVersioned(value: JsonObject | undefined): VersionedState | undefined {
  return value && typeof value.version === "number" && isJsonObject(value.state) ? (value as never) : undefined;
}
