// Session state in Redis, shared by all processes of a server. Each write is one script that compares the version and sets the state.
import { checkOptions, type KnownOptions, overloaded } from "@lethe/protocol";
import { createMessageCipher, knownSharedKeys, ringOf, type SharedKeys } from "@lethe/server/sealing";
import type { SessionStateStore } from "@lethe/server/stores";
import type { RedisLink } from "../connection/redis-link.ts";
import { createScript } from "../script/create-script.ts";

/** Options of `createRedisSessionStateStore`. */
export interface RedisSessionStateStoreOptions extends SharedKeys {
  /** Size of a state as JSON, in bytes. Default 1 MiB. */
  maxBytes?: number;
}

const knownOptions: KnownOptions<RedisSessionStateStoreOptions> = { ...knownSharedKeys, maxBytes: true };

/** KEYS: the session. ARGV: the expected version, the state, and its lifetime in ms. Returns 1 if it was written. */
const write = `
local version = tonumber(redis.call("HGET", KEYS[1], "v") or 0)
if version ~= tonumber(ARGV[1]) then return 0 end
local clock = redis.call("TIME")
local now = tonumber(clock[1]) * 1000 + math.floor(tonumber(clock[2]) / 1000)
redis.call("HSET", KEYS[1], "v", string.format("%.0f", math.max(version + 1, now)), "s", ARGV[2])
redis.call("PEXPIRE", KEYS[1], ARGV[3])
return 1`;

/** KEYS: the session. ARGV: the expected version. Returns 1 if it was deleted. */
const remove = `
if redis.call("HGET", KEYS[1], "v") ~= ARGV[1] then return 0 end
return redis.call("DEL", KEYS[1])`;

/**
 * Creates the store for the option `sessionStore` of a server. The state is encrypted with the keys of the deployment. Rejects without
 * keys.
 *
 * @example
 * import { connectRedis, createRedisSessionStateStore } from "@lethe/redis";
 *
 * const redis = await connectRedis({ url: "redis://127.0.0.1:6379", prefix: "shop:" });
 * const store = await createRedisSessionStateStore(redis, { keys: `k1:${"A".repeat(43)}` });
 * console.log(await store.read("unknown")); // undefined
 * redis.close();
 */
export async function createRedisSessionStateStore(
  redis: Pick<RedisLink, "client" | "nameOf">,
  options: RedisSessionStateStoreOptions = {},
): Promise<SessionStateStore> {
  checkOptions("createRedisSessionStateStore", options, knownOptions);
  const { maxBytes = 1_048_576 } = options;
  const cipher = await createMessageCipher(ringOf(options, "session state"), {
    ...{ purpose: "session state", maxBytes: maxBytes + '{"text":""}'.length, isTimeless: true },
  });
  const writeThere = createScript(redis, write);
  const removeThere = createScript(redis, remove);
  const nameOf = (key: string): string => redis.nameOf(`session:${key}`);

  return {
    async read(key) {
      const call = (): Promise<unknown> => redis.client.call("HMGET", nameOf(key), "v", "s");
      const [version, sealed] = (await reached(call)) as (string | null)[];
      if (typeof version !== "string" || typeof sealed !== "string") return undefined;
      const opened = cipher.open(sealed, key);
      // Not a new session: the write would fail until the stored one expires.
      if (typeof opened?.text !== "string") throw new Error("session state in Redis: no key of this process opens it");
      return { text: opened.text, version: Number(version) };
    },
    write: (key, text, { expected, ttlMs }) =>
      reached(async () => {
        const sealed = cipher.seal({ text }, key);
        return (await writeThere([nameOf(key)], [expected, sealed, Math.ceil(ttlMs)])) === 1;
      }),
    delete: (key, expected) => reached(async () => (await removeThere([nameOf(key)], [expected])) === 1),
  };
}

/** How long a client should wait before it retries, in ms. */
const retryAfterMs = 1_000;

/** Turns an outage into a retryable error. */
async function reached<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    if (cause instanceof RangeError) throw cause;
    const error = overloaded("sessions cannot be reached now", retryAfterMs, { reason: "session_store_unavailable" });
    throw Object.assign(error, { cause });
  }
}
