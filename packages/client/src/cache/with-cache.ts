// Answers the six cacheable methods from memory while their results are fresh (E-50 to E-55).
import {
  isRetry,
  type JsonObject,
  type Middleware,
  type ModernRequest,
  metaKey,
  method,
  type Result,
} from "@lethe/protocol";
import type { CacheKey, CacheTopic, ResponseCache } from "./response-cache.ts";

export interface CacheScopeOptions {
  /** The server's URL. Clients share cached results of the same server only. */
  readonly server: string;
  /** Names the authorization of this client. Clients with another partition never get its private results. */
  readonly partition: string;
}

const topics: ReadonlyMap<string, CacheTopic> = new Map([
  [method.discover, "discover"],
  [method.listTools, "tools"],
  [method.listPrompts, "prompts"],
  [method.listResources, "resources"],
  [method.listResourceTemplates, "resources"],
  [method.readResource, "contents"],
]);

/** Each hit is parsed anew, so that callers cannot change each other's results. */
export function withCache(cache: ResponseCache, scope: CacheScopeOptions): Middleware {
  return (next) => (request, exchange) => {
    const topic = topics.get(request.method);
    // E-54
    if (topic === undefined || isRetry(request.params)) return next(request, exchange);
    return answer(topic, request, () => next(request, exchange));
  };

  async function answer(topic: CacheTopic, request: ModernRequest, ask: () => Promise<Result>): Promise<Result> {
    const shared = toKey(topic, scope.server, "", request);
    const own = toKey(topic, scope.server, scope.partition, request);
    const text = cache.get(own) ?? cache.get(shared);
    if (text !== undefined) return JSON.parse(text) as Result;
    const generation = cache.generationOf(topic);
    const result = await ask();
    const ttlMs = ttlOf(result);
    // The result became stale on its way here.
    if (ttlMs > 0 && generation === cache.generationOf(topic)) {
      cache.set(result.cacheScope === "public" ? shared : own, JSON.stringify(result), ttlMs);
    }
    return result;
  }
}

// E-51: an absent or negative `ttlMs` is 0.
function ttlOf({ resultType, ttlMs }: Result): number {
  return resultType === "complete" && typeof ttlMs === "number" && ttlMs > 0 ? ttlMs : 0;
}

/** `partition` is empty for public results; no client's own partition is empty. */
function toKey(
  topic: CacheTopic,
  server: string,
  partition: string,
  { method: name, params }: ModernRequest,
): CacheKey {
  const { uri, cursor } = params as JsonObject;
  const meta = params._meta;
  const variant = [partition, meta[metaKey.protocolVersion], meta[metaKey.clientCapabilities], name, uri ?? cursor];
  const text = `${server} ${JSON.stringify(variant)}`;
  return topic === "contents" ? { topic, server, text, uri: String(uri) } : { topic, server, text };
}
