// Keeps results that a server declared fresh for a while (E.7), bounded in entries and bytes.

/** What a notification makes stale (E-55). */
export type CacheTopic = "discover" | "tools" | "prompts" | "resources" | "contents";

export interface CacheKey {
  readonly topic: CacheTopic;
  readonly server: string;
  /** Server, revision, declared capabilities, method and what else shapes the result (E-52). */
  readonly text: string;
  /** The resource, for topic "contents". */
  readonly uri?: string | undefined;
}

export interface ResponseCacheOptions {
  /** Default 1000; what was not used for the longest goes first. */
  maxEntries?: number;
  /** Of all results together, in UTF-16 code units, of which a text has no more than bytes. Default 32 Mi. */
  maxBytes?: number;
  /** The longest time that a server is believed, in milliseconds. Default 24 hours. */
  maxTtlMs?: number;
  /** Milliseconds on a clock that is never set back (E-51). */
  now?: () => number;
}

export interface ResponseCache {
  /** The JSON text of a fresh result. */
  get(key: CacheKey): string | undefined;
  set(key: CacheKey, text: string, ttlMs: number): void;
  /** Changes whenever something of the topic becomes stale: a result that was asked for before is not to be kept. */
  generationOf(topic: CacheTopic): number;
  /** Forgets a topic of a server; of "contents" only what a change of `uri` may touch (E-13). */
  invalidate(server: string, topic: CacheTopic, uri?: string): void;
  clear(): void;
}

interface Entry {
  readonly key: CacheKey;
  readonly text: string;
  readonly expiresAt: number;
}

export function createResponseCache(options: ResponseCacheOptions = {}): ResponseCache {
  const { maxEntries = 1000, maxBytes = 32 * 1024 * 1024, maxTtlMs = 86_400_000 } = options;
  const now = options.now ?? (() => performance.now());
  // In the order of use: the first is the one that was not used for the longest.
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

/** E-13: a change may be told of a part of what was read, or of the whole of it. */
function isRelated(cached: string | undefined, changed: string): boolean {
  return cached === undefined || cached.startsWith(changed) || changed.startsWith(cached);
}
