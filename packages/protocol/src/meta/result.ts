// Members that all results of the model share: `resultType`, `_meta` with the server's identity, cache hints. A result may
// also carry its JSON text.
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { Implementation } from "./capabilities.ts";
import { parseImplementation } from "./envelope.ts";
import { metaKey } from "./keys.ts";

//
/** A result of the model. All other members belong to the method. */
export interface Result {
  /** "complete", "input_required", or a value that an extension defines, such as "task". */
  resultType: string;
  _meta?: JsonObject;
  [member: string]: unknown;
}

/** "public": any caller may share the cached result. "private": only the same caller may. */
export type CacheScope = "public" | "private";

// E-50
/** How long and for whom a result may be cached. `ttlMs` is in milliseconds; 0 means stale at once. */
export interface CacheHints {
  ttlMs: number;
  cacheScope: CacheScope;
}

//
/** The server's identity, for display and logs only. Undefined if absent or malformed. */
export function serverInfoOf(result: Result): Implementation | undefined {
  return isJsonObject(result._meta) ? parseImplementation(result._meta[metaKey.serverInfo]) : undefined;
}

const readyText: unique symbol = Symbol("lethe.readyText");

/**
 * Attaches the JSON text to a result, so that edges write the text without serialising. Freezes the result. The text is
 * not enumerable: middleware that changes a result must copy it, and the copy has no stale text.
 */
export function withReadyText<R extends Result>(result: R, text: string = JSON.stringify(result)): Readonly<R> {
  Object.defineProperty(result, readyText, { value: text, enumerable: false });
  return Object.freeze(result);
}

/** The JSON text of a result: the attached text, else serialised now. */
export function toResultText(result: Result): string {
  return (result as { [readyText]?: string })[readyText] ?? JSON.stringify(result);
}
