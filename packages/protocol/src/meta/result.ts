// What every modern result shares: `resultType`, `_meta` with the server's name, cache hints, and ready-made JSON text.
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { Implementation } from "./capabilities.ts";
import { parseImplementation } from "./envelope.ts";
import { metaKey } from "./keys.ts";

/** A modern result. Members beside these belong to the method. */
export interface Result {
  /** "complete", "input_required", or a value that an extension adds. */
  resultType: string;
  _meta?: JsonObject;
  [member: string]: unknown;
}

export type CacheScope = "public" | "private";

/** E-50: on every cacheable result; `ttlMs` in milliseconds, 0 is stale at once. */
export interface CacheHints {
  ttlMs: number;
  cacheScope: CacheScope;
}

/** The server's identity, for display and logs only. */
export function serverInfoOf(result: Result): Implementation | undefined {
  return isJsonObject(result._meta) ? parseImplementation(result._meta[metaKey.serverInfo]) : undefined;
}

const readyText: unique symbol = Symbol("lethe.readyText");

/**
 * A result together with its JSON text, so that an edge writes the text and serialises nothing. The result is frozen
 * and the text is not enumerable: a middleware that changes a result has to copy it, and the copy has no stale text.
 */
export function withReadyText<R extends Result>(result: R, text: string = JSON.stringify(result)): Readonly<R> {
  Object.defineProperty(result, readyText, { value: text, enumerable: false });
  return Object.freeze(result);
}

/** The JSON text of a result: the ready one when there is one, else serialised now. */
export function toResultText(result: Result): string {
  return (result as { [readyText]?: string })[readyText] ?? JSON.stringify(result);
}
