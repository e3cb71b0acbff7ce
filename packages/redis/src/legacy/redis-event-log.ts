// Keeps the events of older clients' streams, so that a client whose connection broke can resume at any process (D-35). Each event
// stream is a Redis stream with one entry per event and one for the end. A channel notifies followers of new entries.

import { randomBytes } from "node:crypto";
import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { createMessageCipher, knownSharedKeys, ringOf, type SharedKeys } from "@lethe/server/sealing";
import { type EventLog, type StreamName, storeDefaults } from "@lethe/server/stores";
import type { RedisConnection } from "../connection/redis-connection.ts";
import { followStream } from "./follow-stream.ts";

/** Options of `createRedisEventLog`. */
export interface RedisEventLogOptions extends SharedKeys {
  /** Events kept per stream; the oldest are dropped first. Default 256. */
  maxEvents?: number;
  /** Size of one event in bytes; a larger event is not kept. Default 1 MiB. */
  maxBytes?: number;
  /** Open streams of this process; further streams cannot be resumed. Default 10,000. */
  maxStreams?: number;
  /** How long a stream is kept after its end, in ms. Default 120,000. */
  maxAgeMs?: number;
  /** How long a process counts as alive after its last heartbeat, in ms. Default 15,000. */
  leaseMs?: number;
}

const knownRedisEventLogOptions: KnownOptions<RedisEventLogOptions> = {
  ...knownSharedKeys,
  maxEvents: true,
  maxBytes: true,
  maxStreams: true,
  maxAgeMs: true,
  leaseMs: true,
};

/** How long a stream without events is kept, in ms. Input requests wait for less. */
const silenceMs = 3_600_000;

/**
 * Creates the event log for the option `legacy.events`. It works as long as the connection; while Redis is away, events are sent
 * and not kept. Rejects without keys.
 *
 * @example
 * import { connectRedis, createRedisEventLog } from "@lethe/redis";
 *
 * const redis = await connectRedis({ url: "redis://127.0.0.1:6379", prefix: "tracker:" });
 * const events = await createRedisEventLog(redis, { keys: `k1:${"A".repeat(43)}` });
 * console.log(typeof events); // object
 * redis.close();
 */
export async function createRedisEventLog(
  redis: RedisConnection,
  options: RedisEventLogOptions = {},
): Promise<EventLog> {
  checkOptions("createRedisEventLog", options, knownRedisEventLogOptions);
  const { events: defaults } = storeDefaults;
  const { maxEvents = defaults.maxEvents, maxBytes = defaults.maxBytes, maxStreams = defaults.maxStreams } = options;
  const { maxAgeMs = defaults.maxAgeMs, leaseMs = 15_000 } = options;
  const cipher = await createMessageCipher(ringOf(options, "events"), { purpose: "events", maxBytes });
  const address = randomBytes(12).toString("base64url");
  /** The number of the last event of each stream that is open here, by its channel. */
  const open = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;

  function write(channel: string, entry: string, fields: string[], keepMs: number): void {
    const key = redis.nameOf(channel);
    redis.client
      .pipeline()
      .xadd(key, "MAXLEN", maxEvents + 1, entry, "o", address, ...fields)
      .pexpire(key, keepMs)
      .exec()
      .catch(() => {});
    // After the event, on the same connection.
    redis.publish(channel, "").catch(() => {});
  }

  /** While a stream is open here, a heartbeat tells the other processes that it may continue. */
  function stayAlive(): void {
    if (timer !== undefined) return;
    const tell = (): void => {
      if (open.size > 0 && redis.client.status !== "end")
        redis.client.set(redis.nameOf(aliveKeyOf(address)), "1", "PX", leaseMs).catch(() => {});
      else {
        clearInterval(timer);
        timer = undefined;
      }
    };
    tell();
    timer = setInterval(tell, leaseMs / 3).unref();
  }

  return {
    begin(stream) {
      if (open.size >= maxStreams) return;
      const channel = channelOf(stream);
      open.set(channel, 0);
      stayAlive();
      write(channel, "0-1", [], silenceMs);
    },
    append(stream, seq, text) {
      const channel = channelOf(stream);
      if (!open.has(channel)) return;
      open.set(channel, seq);
      try {
        write(channel, `${seq}-1`, ["d", cipher.seal({ text }, `${channel} ${seq}`)], silenceMs);
      } catch {
        // Larger than `maxBytes`: a client that resumes misses it.
      }
    },
    end(stream) {
      const channel = channelOf(stream);
      const seq = open.get(channel);
      if (seq === undefined) return;
      open.delete(channel);
      write(channel, `${seq}-2`, ["e", ""], maxAgeMs);
    },
    follow: (stream, after, follower) =>
      followStream({
        ...{ redis, after, follower, aliveKeyOf },
        channel: channelOf(stream),
        checkEveryMs: leaseMs / 3,
        textOf(seq, sealed) {
          const { text } = cipher.open(sealed, `${channelOf(stream)} ${seq}`) ?? {};
          return typeof text === "string" ? text : undefined;
        },
      }),
  };
}

/** The channel and the key of a stream have the same name. */
function channelOf({ sessionId, streamId }: StreamName): string {
  return `events:${sessionId}:${streamId}`;
}

/** The key that exists while the process that writes streams under this address is alive. */
function aliveKeyOf(address: string): string {
  return `alive:${address}`;
}
