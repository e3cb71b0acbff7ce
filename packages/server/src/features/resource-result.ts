// Converts the return value of a resource handler to a result of resources/read (E-78).
import {
  type CacheHints,
  type JsonObject,
  type ReadResourceResult,
  type ResourceContents,
  resourceNotFound,
} from "@lethe/protocol";
import { toBase64 } from "./base64.ts";

export interface ReadResultOptions {
  /** As requested. */
  uri: string;
  mimeType: string | undefined;
  cache: CacheHints;
}

type Returned =
  | string
  | Uint8Array
  | ResourceContents
  | ResourceContents[]
  | { contents: ResourceContents[]; _meta?: JsonObject }
  | undefined;

/** Throws McpError -32602 when the handler returned undefined: the resource does not exist. */
export function toReadResult(returned: Returned, options: ReadResultOptions): ReadResourceResult {
  const { ttlMs, cacheScope } = options.cache;
  if (isFull(returned)) return toComplete(returned, options.cache);
  return { resultType: "complete", contents: toContents(returned, options), ttlMs, cacheScope };
}

function isFull(returned: Returned): returned is { contents: ResourceContents[]; _meta?: JsonObject } {
  return typeof returned === "object" && "contents" in returned;
}

/** Our members come before the spread: see ARCHITECTURE.md. */
function toComplete(returned: { contents: ResourceContents[] }, { ttlMs, cacheScope }: CacheHints): ReadResourceResult {
  const result: ReadResourceResult = { resultType: "complete", ttlMs, cacheScope, ...returned };
  return Object.assign(result, { resultType: "complete", ttlMs, cacheScope });
}

function toContents(
  returned: Exclude<Returned, { contents: ResourceContents[] }>,
  options: ReadResultOptions,
): ResourceContents[] {
  if (returned === undefined) throw resourceNotFound(options.uri);
  const { uri, mimeType } = options;
  if (typeof returned === "string") return [{ uri, mimeType: mimeType ?? "text/plain", text: returned }];
  if (returned instanceof Uint8Array) {
    return [{ uri, mimeType: mimeType ?? "application/octet-stream", blob: toBase64(returned) }];
  }
  return Array.isArray(returned) ? returned : [returned];
}
