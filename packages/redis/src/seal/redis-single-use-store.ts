// Replay protection for `requestState` tokens (E-28), shared by all processes with the same keys.

import { createHash, randomUUID } from "node:crypto";
import { checkOptions, type KnownOptions, overloaded } from "@lethe/protocol";
import { withDeadline } from "@lethe/server/forwarding";
import { createMessageCipher, knownSharedKeys, ringOf, type SharedKeys } from "@lethe/server/sealing";
import {
  type AnswerLimits,
  AnswerShares,
  type Claim,
  type Round,
  type SingleUseStore,
  storeDefaults,
} from "@lethe/server/stores";
import type { RedisConnection } from "../connection/redis-connection.ts";
import { createScript } from "../script/create-script.ts";
import { claimScript, releaseScript, settleScript } from "./single-use-scripts.ts";

/** The limits on answers apply to each process. */
export interface RedisSingleUseOptions extends SharedKeys, AnswerLimits {
  /** Used states kept for all callers without authentication together, until they expire. Default 100,000. */
  maxStates?: number;
  /** Used states kept per authenticated caller. Default 10,000. */
  maxStatesPerCaller?: number;
  /** How long a round counts as running after its process died, in ms. Default 30,000. */
  leaseMs?: number;
}

const knownRedisSingleUseOptions: KnownOptions<RedisSingleUseOptions> = {
  ...knownSharedKeys,
  maxStates: true,
  maxStatesPerCaller: true,
  leaseMs: true,
  keepAnswersMs: true,
  maxAnswerBytes: true,
  maxAnswerBytesPerCaller: true,
};

const defaultRedisLimits = {
  ...storeDefaults.singleUse,
  leaseMs: 30_000,
} as const;

const retryAfterMs = 1_000;
/** How long a request waits for its answer to be stored, in ms. */
const settleMs = 1_000;
/** The tolerated difference between the clocks of processes, in ms. */
const clockSkewMs = 60_000;
/** Size of one encrypted answer, in bytes. */
const maxSealedBytes = 4 * 1024 * 1024;
/** Rounds whose claim or release Redis may not have executed; the oldest count as lost. */
const maxUnclear = 1_000;

/**
 * Creates the store for the option `singleUse`. It works as long as the connection. While Redis is away, the store fails closed:
 * `claim` rejects with a retryable McpError. Rejects without keys.
 *
 * @example
 * import { connectRedis, createRedisSingleUseStore } from "@lethe/redis";
 *
 * const redis = await connectRedis({ url: "redis://127.0.0.1:6379", prefix: "tracker:" });
 * const singleUse = await createRedisSingleUseStore(redis, { keys: `k1:${"A".repeat(43)}` });
 * const round = { id: crypto.randomUUID(), callerId: undefined, expiresAt: Date.now() + 60_000, inputs: "yes" };
 * console.log(await singleUse.claim(round)); // { status: 'claimed' }
 * redis.close();
 */
export async function createRedisSingleUseStore(
  redis: RedisConnection,
  options: RedisSingleUseOptions = {},
): Promise<SingleUseStore> {
  checkOptions("createRedisSingleUseStore", options, knownRedisSingleUseOptions);
  const { maxStates, maxStatesPerCaller, leaseMs, keepAnswersMs } = { ...defaultRedisLimits, ...options };
  const ring = ringOf(options, "answered questions");
  const cipher = await createMessageCipher(ring, { purpose: "single-use", maxBytes: maxSealedBytes });
  const claimIn = createScript(redis, claimScript);
  const settleIn = createScript(redis, settleScript);
  const releaseIn = createScript(redis, releaseScript);
  const shares = new AnswerShares(options);
  const self = randomUUID();
  /** The rounds that this process runs. */
  const running = new Set<string>();
  /** Rounds that have not run although Redis may list them under this process, because its reply was lost. */
  const unclear = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  const roundKey = (id: string): string => redis.nameOf(`answer:${id}`);
  const leaseKey = (id: string): string => redis.nameOf(`answering:${id}`);

  function callerKey(callerId: string | undefined): string {
    if (callerId === undefined) return redis.nameOf("single-use");
    return redis.nameOf(`single-use:${createHash("sha256").update(callerId).digest("base64url")}`);
  }

  async function begin({ id, callerId, expiresAt, inputs }: Round): Promise<Claim> {
    const now = Date.now();
    const forgetAt = Math.max(now, Math.ceil(expiresAt)) + clockSkewMs;
    const max = callerId === undefined ? maxStates : maxStatesPerCaller;
    const args = [id, now, forgetAt, max, self, leaseMs, cipher.seal({ inputs }, id)];
    const reply = await claimIn([callerKey(callerId), roundKey(id), leaseKey(id)], args);
    const [status, sealedInputs = "", sealedAnswer = ""] = reply as [Claim["status"] | "own", string?, string?];
    // Before the reply to a concurrent claim of this process is read.
    if (status === "claimed") running.add(id);
    if (status === "claimed" || status === "used") return { status };
    if (status === "full") return { status, isCaller: callerId !== undefined };
    if (cipher.open(sealedInputs, id)?.inputs !== inputs) return { status: "used" };
    if (status === "own") return { status: running.has(id) ? "running" : unclear.has(id) ? "claimed" : "lost" };
    if (status !== "answered") return { status };
    const answer = cipher.open(sealedAnswer, id)?.answer;
    return typeof answer === "string" ? { status, answer } : { status: "used" };
  }

  /** Without a lease, a round of a killed process would seem to run until its token expires. */
  function keepLeases(): void {
    timer ??= setInterval(() => {
      for (const id of running) void redis.client.set(leaseKey(id), self, "PX", leaseMs, "XX").catch(() => {});
    }, leaseMs / 3).unref();
  }

  function end(id: string): void {
    running.delete(id);
    if (running.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  function noteUnclear(id: string): void {
    unclear.add(id);
    if (unclear.size > maxUnclear) unclear.delete(unclear.values().next().value as string);
  }

  async function remember({ id, callerId }: Round, answer: string | undefined): Promise<void> {
    const forgotten = answer === undefined ? undefined : shares.add(id, callerId, answer);
    if (!forgotten) return void (await redis.client.del(roundKey(id), leaseKey(id)));
    if (forgotten.length > 0) await redis.client.del(...forgotten.map(roundKey));
    await settleIn([roundKey(id), leaseKey(id)], [cipher.seal({ answer }, id), keepAnswersMs]);
  }

  return {
    async claim(round) {
      try {
        const claimed = await begin(round);
        if (claimed.status === "claimed") {
          unclear.delete(round.id);
          keepLeases();
        }
        return claimed;
      } catch {
        if (!running.has(round.id)) noteUnclear(round.id);
        const what = "whether this requestState was used is unknown at the moment; retry";
        throw overloaded(what, retryAfterMs, { reason: "unavailable" });
      }
    },
    async settle(round, answer) {
      end(round.id);
      // While Redis is away the answer is not stored, and a retry gets "lost".
      await withDeadline(settleMs, remember(round, answer)).catch(() => {});
    },
    async release({ id, callerId }) {
      end(id);
      noteUnclear(id);
      const released = releaseIn([callerKey(callerId), roundKey(id), leaseKey(id)], [id]);
      await withDeadline(settleMs, released).catch(() => {});
    },
  };
}
