// Capabilities of 2024-11-05: completion was there without a word (D.6).
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ServerCapabilities } from "../../meta/capabilities.ts";
import { toLegacyCapabilities as toNewer } from "../2025-11-25/capabilities.ts";

export function toLegacyCapabilities(served: ServerCapabilities): JsonObject {
  const { completions: _, ...capabilities } = toNewer(served);
  return capabilities;
}
