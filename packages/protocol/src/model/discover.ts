// server/discover (E.1): the revisions and capabilities of a server.
import { isJsonObject } from "../jsonrpc/message.ts";
import type { ServerCapabilities } from "../meta/capabilities.ts";
import type { CacheHints, Result } from "../meta/result.ts";

/** The result of server/discover. */
export interface DiscoverResult extends Result, CacheHints {
  supportedVersions: string[];
  capabilities: ServerCapabilities;
  instructions?: string;
}

/** True for a discover result. Only `supportedVersions` and `resultType` prove a modern server; a successful call does not. */
export function isDiscoverResult(value: unknown): value is DiscoverResult {
  if (!isJsonObject(value) || !Array.isArray(value.supportedVersions)) return false;
  return value.resultType === "complete" && isJsonObject(value.capabilities);
}
