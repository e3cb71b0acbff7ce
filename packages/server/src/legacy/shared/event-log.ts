// What was sent on event streams, for clients that come back for the rest (D-35). Kept for a while and within bounds: a
// client that comes too late learns that what it waits for is lost.
import { processMemory } from "@lethe/protocol";

export interface StreamName {
  readonly sessionId: string;
  readonly streamId: string;
}

export interface Follower {
  event(seq: number, text: string): void;
  /** Nothing follows. */
  end(): void;
}

export interface Following {
  /** The stream had ended before; all that was left of it has been told. */
  readonly isEnded: boolean;
  stop(): void;
}

/** Shared by all processes of a deployment, or a stream can only be resumed where it began. */
export interface EventLog {
  begin(stream: StreamName): void;
  /** `seq` rises by one with each event of a stream. */
  append(stream: StreamName, seq: number, text: string): void;
  end(stream: StreamName): void;
  /**
   * Tells what came after `after`, then what comes. Undefined when nothing is known of the stream (any more). Rejects when that
   * cannot be found out now.
   */
  follow(stream: StreamName, after: number, follower: Follower): Promise<Following | undefined> | Following | undefined;
}

export interface MemoryEventLogOptions {
  /** Events of one stream; the oldest go first. Default 256. */
  maxEvents?: number;
  /** Characters of one stream; a response that alone is larger cannot be resumed. Default 1 MiB. */
  maxSize?: number;
  /** Characters of all streams; ended ones go first. Default 64 MiB, with a small heap half of the memory budget. */
  maxTotalSize?: number;
  /** Default 10,000. */
  maxStreams?: number;
  /** How long after its end a stream is kept. Default 120,000 ms; also how long a lost standing stream goes on. */
  maxAgeMs?: number;
  now?: () => number;
}

export const defaultMaxAgeMs = 120_000;
const defaultMaxTotalSize = 64 * 1024 * 1024;

interface Entry {
  readonly events: { seq: number; text: string }[];
  /** Undefined while there is none. */
  followers: Set<Follower> | undefined;
  size: number;
  /** Undefined while more may come. */
  endedAt: number | undefined;
}

/** For one process. */
export function createMemoryEventLog(options: MemoryEventLogOptions = {}): EventLog {
  const { maxEvents = 256, maxSize = 1024 * 1024, maxStreams = 10_000 } = options;
  const { maxTotalSize = Math.min(defaultMaxTotalSize, processMemory.hardBytes / 2) } = options;
  const { maxAgeMs = defaultMaxAgeMs, now = Date.now } = options;
  /** By end, oldest first; those that have not ended are in `open`. */
  const ended = new Map<string, Entry>();
  const open = new Map<string, Entry>();
  let totalSize = 0;

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
    while (totalSize > maxTotalSize && forget(ended)) {}
    while (ended.size + open.size > maxStreams) if (!forget(ended)) forget(open);
  }

  function trim(entry: Entry): void {
    while (entry.events.length > maxEvents || entry.size > maxSize || totalSize > maxTotalSize) {
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
