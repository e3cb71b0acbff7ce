// What was sent on event streams of older clients, so that one whose connection broke comes back to whichever process (D-35). A
// stream is a Redis stream: an entry for each event, named by its number, and one for the end. Whoever follows it is told that
// there is more, and reads it.
import { randomBytes } from "node:crypto";
import type { EventLog, StreamName } from "@lethe/server/stores";
import type { RedisConnection } from "../connection/redis-connection.ts";
import { createEnvelope } from "../seal/envelope.ts";
import { ringOf, type SharedKeys } from "../seal/shared-keys.ts";
import { followStream } from "./follow-stream.ts";

export interface RedisEventLogOptions extends SharedKeys {
  /** Events of one stream; the oldest go first. Default 256. */
  maxEvents?: number;
  /** Of one event; a larger one cannot be resumed. Default 1 MiB. */
  maxBytes?: number;
  /** Streams of this process that are open at a time; others cannot be resumed. Default 10,000. */
  maxStreams?: number;
  /** How long after its end a stream is kept. Default 120,000 ms. */
  maxAgeMs?: number;
  /** How long a process that says nothing counts as alive. Default 15,000 ms. */
  leaseMs?: number;
}

/** ms; how long a stream is kept on which nothing happens. A question waits for less. */
const silenceMs = 3_600_000;

/** Ends with the connection. While Redis is away, events are sent and not kept. */
export async function createRedisEventLog(
  redis: RedisConnection,
  options: RedisEventLogOptions = {},
): Promise<EventLog> {
  const { maxEvents = 256, maxBytes = 1024 * 1024, maxStreams = 10_000 } = options;
  const { maxAgeMs = 120_000, leaseMs = 15_000 } = options;
  const envelope = await createEnvelope(ringOf(options, "events"), { purpose: "events", maxBytes });
  const address = randomBytes(12).toString("base64url");
  /** The number of the last event of each that is open here, by its channel. */
  const open = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;

  function write(channel: string, entry: string, fields: string[], keepMs: number): void {
    const key = redis.nameOf(channel);
    redis.client
      .pipeline()
      .xadd(key, "MAXLEN", maxEvents + 1, entry, "o", address, ...fields)
      .pexpire(key, keepMs)
      .publish(key, "")
      .exec()
      .catch(() => {});
  }

  /** As long as anything is open here, the others know that more may come of it. */
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
        write(channel, `${seq}-1`, ["d", envelope.seal({ text }, `${channel} ${seq}`)], silenceMs);
      } catch {
        // Larger than may be: whoever comes back will miss it.
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
          const { text } = envelope.open(sealed, `${channelOf(stream)} ${seq}`) ?? {};
          return typeof text === "string" ? text : undefined;
        },
      }),
  };
}

/** Its key has the same name. */
function channelOf({ sessionId, streamId }: StreamName): string {
  return `events:${sessionId}:${streamId}`;
}

/** There as long as the process lives that writes streams under this address. */
function aliveKeyOf(address: string): string {
  return `alive:${address}`;
}
