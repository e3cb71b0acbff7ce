// Stores results while they are fresh (E.7), with limits on entries and bytes.

import { checkOptions, type KnownOptions } from "@lethe/protocol";

/** The topic that a change notification makes stale. */
export type CacheTopic = "discover" | "tools" | "prompts" | "resources" | "contents";

export interface CacheKey {
  readonly topic: CacheTopic;
  readonly server: string;
  /** Server, revision, declared capabilities, method and everything else that shapes the result. */
  readonly text: string;
  /** The resource URI, for topic "contents". */
  readonly uri?: string | undefined;
}

/** The limits of a cache. */
export interface ResponseCacheOptions {
  /** Limit of entries. The least recently used one is dropped first. Default 1000. */
  maxEntries?: number;
  /** Limit for all results together, in UTF-16 code units. Default 32 Mi. */
  maxBytes?: number;
  /** Upper bound for a server's `ttlMs`, in ms. Default 24 hours. */
  maxTtlMs?: number;
  /** Milliseconds on a monotonic clock. Default `performance.now`. */
  now?: () => number;
}

const knownResponseCacheOptions: KnownOptions<ResponseCacheOptions> = {
  maxEntries: true,
  maxBytes: true,
  maxTtlMs: true,
  now: true,
};

/** A store for fresh results. Created by `createResponseCache`. */
export interface ResponseCache {
  /** The JSON text of a fresh result. Undefined if there is none. */
  get(key: CacheKey): string | undefined;
  /** Stores the JSON text of a result for `ttlMs`, at most `maxTtlMs`. Ignores a text that alone exceeds `maxBytes`. */
  set(key: CacheKey, text: string, ttlMs: number): void;
  /** A number that changes when the topic becomes stale. A result requested before the change must not be stored. */
  generationOf(topic: CacheTopic): number;
  /** Drops a topic of a server. For "contents", drops only resources that a change of `uri` can affect. */
  invalidate(server: string, topic: CacheTopic, uri?: string): void;
  /** Drops all results. */
  clear(): void;
}

interface Entry {
  readonly key: CacheKey;
  readonly text: string;
  readonly expiresAt: number;
}

/**
 * Creates a cache for results that carry cache hints: lists, resources and descriptions of servers. By default each client has its own
 * cache; pass one to several clients to share it. Holds at most 1,000 results and 32 Mi UTF-16 code units, each for 24 hours at most, unless the
 * options say otherwise.
 *
 * @example
 * import { connect, createResponseCache } from "@lethe/client";
 * import { createServer } from "@lethe/server";
 *
 * const server = createServer({ name: "hello", version: "1.0.0" });
 * server.tool("greet", { handler: () => "Hello!" });
 *
 * const cache = createResponseCache({ maxEntries: 100, maxTtlMs: 60_000 });
 * const client = await connect(server, { cache });
 * console.log((await client.listTools()).length); // 1
 * await client.close();
 */
export function createResponseCache(options: ResponseCacheOptions = {}): ResponseCache {
  checkOptions("createResponseCache", options, knownResponseCacheOptions);
  const { maxEntries = 1000, maxBytes = 32 * 1024 * 1024, maxTtlMs = 86_400_000 } = options;
  const now = options.now ?? (() => performance.now());
  // In order of use: the least recently used entry is first.
  const entries = new Map<string, Entry>();
  const generations = new Map<CacheTopic, number>();
  let bytes = 0;

  function drop(text: string): void {
    const entry = entries.get(text);
    if (!entry) return;
    entries.delete(text);
    bytes -= sizeOf(entry);
  }

  return {
    get(key) {
      const entry = entries.get(key.text);
      if (!entry) return undefined;
      if (now() >= entry.expiresAt) {
        drop(key.text);
        return undefined;
      }
      entries.delete(key.text);
      entries.set(key.text, entry);
      return entry.text;
    },
    set(key, text, ttlMs) {
      drop(key.text);
      const entry = { key, text, expiresAt: now() + Math.min(ttlMs, maxTtlMs) };
      if (!(ttlMs > 0) || sizeOf(entry) > maxBytes) return;
      entries.set(key.text, entry);
      bytes += sizeOf(entry);
      for (const oldest of entries.keys()) {
        if (entries.size <= maxEntries && bytes <= maxBytes) break;
        drop(oldest);
      }
    },
    generationOf: (topic) => generations.get(topic) ?? 0,
    invalidate(server, topic, uri) {
      generations.set(topic, (generations.get(topic) ?? 0) + 1);
      for (const [text, { key }] of entries) {
        if (key.topic !== topic || key.server !== server) continue;
        if (uri === undefined || isRelated(key.uri, uri)) drop(text);
      }
    },
    clear() {
      entries.clear();
      bytes = 0;
    },
  };
}

function sizeOf({ key, text }: Entry): number {
  return key.text.length + text.length;
}

// E-13: a notification may name a part of a resource, or a resource that contains it.
function isRelated(cached: string | undefined, changed: string): boolean {
  return cached === undefined || cached.startsWith(changed) || changed.startsWith(cached);
}
