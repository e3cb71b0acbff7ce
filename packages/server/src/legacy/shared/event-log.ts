// Keeps the events of streams for clients that reconnect (D-35), within limits of time and size. A client that reconnects too
// late learns that its result is lost.

import { checkOptions, type KnownOptions, processMemory } from "@lethe/protocol";
import { storeDefaults } from "../../replicas/store-defaults.ts";

/** Names one event stream of one session. */
export interface StreamName {
  readonly sessionId: string;
  readonly streamId: string;
}

/** Receives the events of a stream, in order. */
export interface Follower {
  event(seq: number, text: string): void;
  /** The stream has ended. */
  end(): void;
}

/** A follower of a stream that has begun to receive events. */
export interface Following {
  /** The stream had already ended. The follower has received its remaining events. */
  readonly isEnded: boolean;
  stop(): void;
}

/** Stores the events of streams. Without a shared log, a stream can be resumed only in the process that opened it. */
export interface EventLog {
  begin(stream: StreamName): void;
  /** `seq` rises by one with each event of a stream. */
  append(stream: StreamName, seq: number, text: string): void;
  end(stream: StreamName): void;
  /**
   * Passes the events after number `after` to the follower, then each new one. Resolves with undefined if the stream is unknown
   * or was dropped. Rejects if the log cannot be read at the moment.
   */
  follow(stream: StreamName, after: number, follower: Follower): Promise<Following | undefined> | Following | undefined;
}

/** Options of `createMemoryEventLog`. */
export interface MemoryEventLogOptions {
  /** Events kept per stream. The oldest are dropped first. Default 256. */
  maxEvents?: number;
  /** Characters kept per stream. A larger response cannot be resumed. Default 1,048,576. */
  maxSize?: number;
  /** Characters kept in total. Ended streams are dropped first. Default 67,108,864, or half of the memory budget if that is less. */
  maxTotalSize?: number;
  /** Streams kept. Default 10,000. */
  maxStreams?: number;
  /** How long a stream is kept after its end, and a GET stream after its client left. Default 120,000 ms. */
  maxAgeMs?: number;
  /** Returns the time in ms. Default: Date.now. */
  now?: () => number;
}

export const knownMemoryEventLogOptions: KnownOptions<MemoryEventLogOptions> = {
  maxEvents: true,
  maxSize: true,
  maxTotalSize: true,
  maxStreams: true,
  maxAgeMs: true,
  now: true,
};

const { events: defaults } = storeDefaults;
const defaultMaxTotalSize = 64 * 1024 * 1024;

interface Entry {
  readonly events: { seq: number; text: string }[];
  /** Undefined while the stream has none. */
  followers: Set<Follower> | undefined;
  size: number;
  /** Undefined while the stream is open. */
  endedAt: number | undefined;
}

/**
 * Creates a log for one process. Ended streams and the oldest events are dropped first.
 *
 * @example
 * import { createMemoryEventLog } from "@lethe/server/stores";
 *
 * const log = createMemoryEventLog();
 * const stream = { sessionId: "session", streamId: "1" };
 * log.begin(stream);
 * log.append(stream, 1, "event");
 * await log.follow(stream, 0, { event: (seq, text) => console.log(seq, text), end() {} });
 */
export function createMemoryEventLog(options: MemoryEventLogOptions = {}): EventLog {
  checkOptions("createMemoryEventLog", options, knownMemoryEventLogOptions);
  const { maxEvents = defaults.maxEvents, maxSize = defaults.maxBytes, maxStreams = defaults.maxStreams } = options;
  let { maxTotalSize } = options;
  const { maxAgeMs = defaults.maxAgeMs, now = Date.now } = options;
  /** Ended streams, in the order in which they ended. */
  const ended = new Map<string, Entry>();
  const open = new Map<string, Entry>();
  let totalSize = 0;

  /** Not before the first event: a server without older clients need not know its heap limit. */
  function isFull(): boolean {
    maxTotalSize ??= Math.min(defaultMaxTotalSize, processMemory.hardBytes / 2);
    return totalSize > maxTotalSize;
  }

  function forget(entries: Map<string, Entry>): boolean {
    for (const [key, entry] of entries) {
      entries.delete(key);
      totalSize -= entry.size;
      return true;
    }
    return false;
  }

  function isOver(entry: Entry): boolean {
    return entry.endedAt !== undefined && entry.endedAt + maxAgeMs <= now();
  }

  function makeRoom(): void {
    for (const entry of ended.values()) {
      if (!isOver(entry)) break;
      forget(ended);
    }
    while (isFull() && forget(ended)) {}
    while (ended.size + open.size > maxStreams) if (!forget(ended)) forget(open);
  }

  function trim(entry: Entry): void {
    while (entry.events.length > maxEvents || entry.size > maxSize || isFull()) {
      const oldest = entry.events.shift();
      if (!oldest) return;
      entry.size -= oldest.text.length;
      totalSize -= oldest.text.length;
    }
  }

  return {
    begin(stream) {
      open.set(toKey(stream), { events: [], followers: undefined, size: 0, endedAt: undefined });
      makeRoom();
    },
    append(stream, seq, text) {
      const entry = open.get(toKey(stream));
      if (!entry) return;
      entry.events.push({ seq, text });
      entry.size += text.length;
      totalSize += text.length;
      makeRoom();
      trim(entry);
      for (const follower of entry.followers ?? []) follower.event(seq, text);
    },
    end(stream) {
      const key = toKey(stream);
      const entry = open.get(key);
      if (!entry) return;
      open.delete(key);
      entry.endedAt = now();
      ended.set(key, entry);
      for (const follower of entry.followers ?? []) follower.end();
      entry.followers = undefined;
    },
    follow(stream, after, follower) {
      const key = toKey(stream);
      const entry = open.get(key) ?? ended.get(key);
      if (!entry || isOver(entry)) return undefined;
      for (const { seq, text } of entry.events) if (seq > after) follower.event(seq, text);
      const isEnded = entry.endedAt !== undefined;
      if (!isEnded) {
        entry.followers ??= new Set();
        entry.followers.add(follower);
      }
      return { isEnded, stop: () => void entry.followers?.delete(follower) };
    },
  };
}

function toKey({ sessionId, streamId }: StreamName): string {
  return `${sessionId} ${streamId}`;
}
