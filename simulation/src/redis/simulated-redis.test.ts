// Compares the simulated Redis with a real one on random commands and scripts.
import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { acquireText, holdText, releaseText, renewText } from "../../../packages/redis/src/replicas/lease-scripts.ts";
import {
  leaveText,
  listText,
  revokeText,
  suspectText,
} from "../../../packages/redis/src/replicas/membership-scripts.ts";
import { type RunningRedis, startRedis } from "../../../packages/redis/src/testing/redis-server.ts";
import { type Reply, ReplyError } from "./reply.ts";
import { SimulatedRedis } from "./simulated-redis.ts";

let running: RunningRedis;
let real: Redis;

beforeAll(async () => {
  running = await startRedis();
  real = new Redis(running.url);
  real.on("error", () => {});
});
afterAll(async () => {
  real.disconnect();
  await running.stop();
});

const key = fc.constantFrom("a", "b", "c");
const text = fc.constantFrom("", "0", "1", "-7", "x", "yz", "1700000000123", "1.5");
const integer = fc.integer({ min: -4, max: 4 }).map(String);
const score = fc.constantFrom("0", "1", "2.5", "-3", "1700000000000", "inf", "-inf", "x");
const bound = fc.oneof(score, fc.constantFrom("(1", "(2.5", "+inf"));
const ttl = fc.constantFrom("100000", "500000");
const command = (name: string, ...args: fc.Arbitrary<string>[]) =>
  fc.tuple(fc.constant(name), ...args) as fc.Arbitrary<string[]>;
const commandWith = (name: string, first: fc.Arbitrary<string>, rest: fc.Arbitrary<string>) =>
  fc.tuple(first, fc.array(rest, { minLength: 1, maxLength: 4 })).map(([one, others]) => [name, one, ...others]);

const anyCommand = fc.oneof(
  ...[
    "GET",
    "STRLEN",
    "TYPE",
    "INCR",
    "DECR",
    "PTTL",
    "PERSIST",
    "HGETALL",
    "HLEN",
    "SCARD",
    "SMEMBERS",
    "ZCARD",
    "LLEN",
  ].map((name) => command(name, key)),
  command("SET", key, text),
  command("SET", key, text, fc.constantFrom("NX", "XX", "KEEPTTL", "GET", "BAD")),
  command("SET", key, text, fc.constant("PX"), fc.oneof(ttl, fc.constantFrom("0", "x"))),
  command("GETRANGE", key, integer, integer),
  command("INCRBY", key, text),
  command("PEXPIRE", key, ttl),
  commandWith("EXISTS", key, key),
  commandWith("DEL", key, key),
  commandWith("MGET", key, key),
  command("HSET", key, text, text),
  command("HSETNX", key, text, text),
  command("HGET", key, text),
  command("HEXISTS", key, text),
  command("HINCRBY", key, text, integer),
  commandWith("HMGET", key, text),
  commandWith("HDEL", key, text),
  commandWith("SADD", key, text),
  commandWith("SREM", key, text),
  command("SISMEMBER", key, text),
  command("ZADD", key, score, text),
  command("ZADD", key, fc.constantFrom("NX", "XX", "GT", "LT", "CH"), score, text),
  command("ZSCORE", key, text),
  commandWith("ZREM", key, text),
  command("ZCOUNT", key, bound, bound),
  command("ZRANGE", key, integer, integer),
  command("ZRANGEBYSCORE", key, bound, bound),
  command("ZRANGEBYSCORE", key, bound, bound, fc.constant("LIMIT"), integer, integer),
  command("ZREMRANGEBYSCORE", key, bound, bound),
  commandWith("RPUSH", key, text),
  command("LRANGE", key, integer, integer),
  command("LINDEX", key, integer),
  command("LTRIM", key, integer, integer),
  command("GET"),
  command("NOSUCH", key),
);

/** Scripts that turn replies into values of Lua and back, in the ways in which the scripts of the project do. */
const scripts = [
  "return redis.call(unpack(ARGV))",
  "return redis.pcall(unpack(ARGV))",
  "local got = redis.pcall(unpack(ARGV)) if type(got) == 'table' and got.err then return { 'failed' } end return { type(got), got }",
  "local got = redis.pcall('GETRANGE', KEYS[1], 0, 3) return type(got) == 'string' and got ~= '' and { got, '', '' } or 0",
  "local n = tonumber(KEYS[3]) if not n then return false end return { n, n + 0.5, tostring(n * 2), math.floor(n / 2), n == 1 }",
  "local n = tonumber(KEYS[3]) or 7 redis.call('SET', KEYS[1], n * 1000) return redis.call('GET', KEYS[1])",
  "local n = tonumber(KEYS[3]) or 7 redis.call('SET', KEYS[1], string.format('%.0f', n)) return redis.call('GET', KEYS[1]) .. ':' .. n",
  "redis.call('DEL', KEYS[2]) return { redis.call(unpack(ARGV)), #ARGV, #KEYS, KEYS[2] }",
  "local all = {} for index, name in ipairs(KEYS) do all[#all + 1] = redis.call('EXISTS', name) end return all",
  "return { 1, nil, 3 }",
  "return { ok = 'FINE' }",
  "return redis.error_reply('BAD news')",
  "return nothing.here",
];
/** The driver nests the replies of these when a client calls them. */
const withScores = fc.oneof(
  command("ZRANGE", key, integer, integer, fc.constant("WITHSCORES")),
  command("ZRANGEBYSCORE", key, bound, bound, fc.constant("WITHSCORES")),
);
const script = fc
  .tuple(
    fc.constantFrom(...scripts),
    key,
    key,
    text,
    fc.oneof({ weight: 9, arbitrary: anyCommand }, { weight: 1, arbitrary: withScores }),
  )
  .map(([code, one, two, number, args]) => ["EVAL", code, "3", one, two, number, ...args]);

const replica = fc.constantFrom("r1", "r2", "r3");
const entry = fc.constantFrom("f,valid:700", "f,valid:700,at:h%3A1", "f");
const lease = replica.map((id) => `lease:${id}`);
const mark = replica.map((id) => `suspect:${id}`);
const session = fc.constantFrom("claim:1", "claim:2", "claim:3");
const flag = fc.constantFrom("0", "1");
const evaluation = (code: string, keys: fc.Arbitrary<string>[], args: fc.Arbitrary<string>[]) =>
  command("EVAL", fc.constant(code), fc.constant(String(keys.length)), ...keys, ...args);
const is = (value: string) => fc.constant(value);

/** The scripts of the directory with plausible arguments. */
const directoryScript = fc.oneof(
  evaluation(renewText, [lease, is("anybody"), is("quiet"), mark], [entry, ttl, fc.constantFrom("0", "100000"), flag]),
  evaluation(
    acquireText,
    [lease, mark, is("quiet"), session],
    [replica, is("lease:"), ttl, ttl, fc.constantFrom("keep", "take", "look")],
  ),
  evaluation(holdText, [lease, mark, session, session], [replica, ttl, ttl, flag]),
  evaluation(releaseText, [session], [replica]),
  evaluation(
    listText,
    [is("replicas"), replica.map((id) => `member:${id}`), is("anybody"), is("earlier")],
    [replica, entry, is("lease:"), is("member:"), ttl, is("1000")],
  ),
  evaluation(leaveText, [lease, replica.map((id) => `member:${id}`), mark, is("replicas")], [replica]),
  evaluation(suspectText, [lease, mark], [fc.constantFrom("m1", "m2"), ttl]),
  evaluation(revokeText, [lease, mark], [fc.constantFrom("m1", "m2")]),
  commandWith("DEL", fc.constantFrom("quiet", "anybody", "lease:r1"), session),
  command("SET", fc.constantFrom("quiet", "anybody"), flag, is("PX"), ttl),
);

/** The code of an error. The rest of its text differs between versions of Redis. */
function codeOf(error: Error): string {
  return `error ${error.message.split(" ", 1)[0]}`;
}

/** Unordered replies in order, and times to live as far as they must agree. */
function normalize(words: readonly string[], reply: unknown): unknown {
  const name = words[0] === "EVAL" ? words[6] : words[0];
  if (typeof reply === "number" && reply > 50_000 && reply <= 500_000) return Math.round(reply / 100_000);
  if (!Array.isArray(reply)) return reply;
  if (name === "SMEMBERS" || name === "HGETALL" || words[1] === listText)
    return [...reply.map((item) => JSON.stringify(normalize(words, item)))].sort();
  return reply.map((item) => normalize(words, item));
}

function toDriverReply(reply: Reply): unknown {
  if (reply === null || typeof reply !== "object") return reply;
  return "ok" in reply ? reply.ok : reply.map(toDriverReply);
}

function attemptIn(redis: SimulatedRedis, words: readonly string[]): unknown {
  try {
    return normalize(words, toDriverReply(redis.execute(words)));
  } catch (error) {
    if (error instanceof ReplyError) return codeOf(error);
    throw error;
  }
}

async function attemptReal(words: readonly string[]): Promise<unknown> {
  const [name = "", ...args] = words;
  return real.call(name, ...args).then(
    (reply) => normalize(words, reply),
    (error: Error) => codeOf(error),
  );
}

async function compare(sequence: readonly (readonly string[])[], isFull = false): Promise<void> {
  await real.config("SET", "maxmemory", "0");
  await real.flushall();
  const redis = new SimulatedRedis({ now: Date.now, random: Math.random });
  for (const words of sequence.slice(0, 6)) await Promise.all([attemptReal(words), attemptIn(redis, words)]);
  if (isFull) await real.config("SET", "maxmemory", "1");
  redis.isFull = isFull;
  for (const words of sequence.slice(6))
    expect([words, attemptIn(redis, words)]).toEqual([words, await attemptReal(words)]);
}

describe("the simulated Redis", () => {
  const sequence = fc.array(fc.oneof({ weight: 3, arbitrary: anyCommand }, { weight: 1, arbitrary: script }), {
    minLength: 20,
    maxLength: 60,
  });

  it("replies to random commands and scripts as a real Redis does", async () => {
    await fc.assert(
      fc.asyncProperty(sequence, (words) => compare(words)),
      { numRuns: 100 },
    );
  });

  it("replies with an empty part when the last position is before the first item, as a real Redis does", async () => {
    const fill = ["a", "b", "c", "d", "e", "f"].map((item) => ["RPUSH", "list", item]);
    await compare([
      ...fill,
      ["LRANGE", "list", "0", "-8"],
      ["LRANGE", "list", "0", "-7"],
      ["LTRIM", "list", "0", "-9"],
      ["LLEN", "list"],
    ]);
  });

  it.each([false, true])("runs the scripts of the directory as a real Redis does (full: %s)", async (isFull) => {
    const evaluations = fc.array(directoryScript, { minLength: 20, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(evaluations, (words) => compare(words, isFull)),
      { numRuns: 100 },
    );
  });

  it("rejects what a full Redis rejects", async () => {
    await fc.assert(
      fc.asyncProperty(sequence, (words) => compare(words, true)),
      { numRuns: 100 },
    );
  });
});
