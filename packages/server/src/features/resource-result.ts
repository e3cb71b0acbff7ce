// What a resource's handler returned, as a result of resources/read (E-78).
import {
  type BlobResourceContents,
  type CacheHints,
  type JsonObject,
  type ReadResourceResult,
  type ResourceContents,
  resourceNotFound,
  type TextResourceContents,
} from "@lethe/protocol";
import { toBase64 } from "./base64.ts";

export interface ReadResultOptions {
  /** As it was asked for. */
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

/** Throws McpError -32602 when the handler returned nothing: there is no such resource (E-79). */
export function toReadResult(returned: Returned, options: ReadResultOptions): ReadResourceResult {
  const { ttlMs, cacheScope } = options.cache;
  if (isFull(returned)) return { ...returned, resultType: "complete", ttlMs, cacheScope };
  return { resultType: "complete", contents: toContents(returned, options), ttlMs, cacheScope };
}

function isFull(returned: Returned): returned is { contents: ResourceContents[]; _meta?: JsonObject } {
  return typeof returned === "object" && "contents" in returned;
}

function toContents(
  returned: Exclude<Returned, { contents: ResourceContents[] }>,
  options: ReadResultOptions,
): ResourceContents[] {
  if (returned === undefined) throw resourceNotFound(options.uri);
  if (typeof returned === "string")
    return [{ ...toPlace(options, "text/plain"), text: returned } as TextResourceContents];
  if (returned instanceof Uint8Array) {
    return [{ ...toPlace(options, "application/octet-stream"), blob: toBase64(returned) } as BlobResourceContents];
  }
  return Array.isArray(returned) ? returned : [returned];
}

function toPlace({ uri, mimeType }: ReadResultOptions, fallback: string): { uri: string; mimeType: string } {
  return { uri, mimeType: mimeType ?? fallback };
}
