// Keeps the events of older clients' streams, so that a client whose connection broke can resume at any process (D-35). One row holds
// one event. A channel notifies followers of new rows.

import { randomBytes } from "node:crypto";
import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { createMessageCipher, knownSharedKeys, ringOf, type SharedKeys } from "@lethe/server/sealing";
import { type EventLog, type StreamName, storeDefaults } from "@lethe/server/stores";
import type { PostgresLink } from "../connection/postgres-link.ts";
import { renewWriter } from "./event-statements.ts";
import { EventWriter } from "./event-writer.ts";
import { followStream } from "./follow-stream.ts";

/** Options of `createPostgresEventLog`. */
export interface PostgresEventLogOptions extends SharedKeys {
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

const knownPostgresEventLogOptions: KnownOptions<PostgresEventLogOptions> = {
  ...knownSharedKeys,
  maxEvents: true,
  maxBytes: true,
  maxStreams: true,
  maxAgeMs: true,
  leaseMs: true,
};

/**
 * Creates the event log for the option `legacy.events`. It works as long as the connection; while PostgreSQL is away, events are sent
 * and not kept. Rejects without keys.
 *
 * @example
 * import { connectPostgres, createPostgresEventLog } from "@lethe/postgres";
 *
 * const postgres = await connectPostgres({ url: "postgres://lethe@127.0.0.1:5432/lethe", prefix: "tracker:" });
 * const events = await createPostgresEventLog(postgres, { keys: `k1:${"A".repeat(43)}` });
 * console.log(typeof events); // object
 * await postgres.close();
 */
export async function createPostgresEventLog(
  postgres: Pick<PostgresLink, "prefix" | "run" | "publish" | "subscribe">,
  options: PostgresEventLogOptions = {},
): Promise<EventLog> {
  checkOptions("createPostgresEventLog", options, knownPostgresEventLogOptions);
  const { events: defaults } = storeDefaults;
  const { maxEvents = defaults.maxEvents, maxBytes = defaults.maxBytes, maxStreams = defaults.maxStreams } = options;
  const { maxAgeMs = defaults.maxAgeMs, leaseMs = 15_000 } = options;
  const cipher = await createMessageCipher(ringOf(options, "events"), { purpose: "events", maxBytes });
  const self = randomBytes(12).toString("base64url");
  const writer = new EventWriter({ postgres, self, leaseMs, maxEvents, maxAgeMs });
  /** The number of the last event of each stream that is open here. */
  const open = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;

  /** While a stream is open here, a heartbeat tells the other processes that it may continue. */
  function stayAlive(): void {
    timer ??= setInterval(() => {
      if (open.size > 0) return void postgres.run(renewWriter, [postgres.prefix, self, leaseMs]).catch(() => {});
      clearInterval(timer);
      timer = undefined;
    }, leaseMs / 3).unref();
  }

  return {
    begin(name) {
      if (open.size >= maxStreams) return;
      const stream = streamOf(name);
      open.set(stream, 0);
      stayAlive();
      writer.write({ stream, seq: 0, event: "", isEnd: false });
    },
    append(name, seq, text) {
      const stream = streamOf(name);
      if (!open.has(stream)) return;
      open.set(stream, seq);
      try {
        writer.write({ stream, seq, event: cipher.seal({ text }, `${stream} ${seq}`), isEnd: false });
      } catch {
        // Larger than `maxBytes`: a client that resumes misses it.
      }
    },
    end(name) {
      const stream = streamOf(name);
      const seq = open.get(stream);
      if (seq === undefined) return;
      open.delete(stream);
      writer.write({ stream, seq, event: "", isEnd: true });
    },
    follow: (name, after, follower) =>
      followStream({
        ...{ postgres, after, follower },
        stream: streamOf(name),
        checkEveryMs: leaseMs / 3,
        textOf(seq, sealed) {
          const { text } = cipher.open(sealed, `${streamOf(name)} ${seq}`) ?? {};
          return typeof text === "string" ? text : undefined;
        },
      }),
  };
}

/** The channel and the rows of a stream have the same name. */
function streamOf({ sessionId, streamId }: StreamName): string {
  return `events:${sessionId}:${streamId}`;
}
