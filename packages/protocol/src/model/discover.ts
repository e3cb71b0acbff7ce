// server/discover (E.1): what a server speaks and offers.
import { isJsonObject } from "../jsonrpc/message.ts";
import type { ServerCapabilities } from "../meta/capabilities.ts";
import type { CacheHints, Result } from "../meta/result.ts";

export interface DiscoverResult extends Result, CacheHints {
  supportedVersions: string[];
  capabilities: ServerCapabilities;
  instructions?: string;
}

/** A `supportedVersions` array and a `resultType` are the proof of a modern server, not the mere success of the call. */
export function isDiscoverResult(value: unknown): value is DiscoverResult {
  if (!isJsonObject(value) || !Array.isArray(value.supportedVersions)) return false;
  return value.resultType === "complete" && isJsonObject(value.capabilities);
}
