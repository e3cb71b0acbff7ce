// Capabilities of 2024-11-05: completion needs no capability (D.6).
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ServerCapabilities } from "../../meta/capabilities.ts";
import { writeServerCapabilities as writeNewer } from "../2025-03-26/capabilities.ts";

export { readClientCapabilities, readServerCapabilities } from "../2025-03-26/capabilities.ts";

export function writeServerCapabilities(offered: ServerCapabilities): JsonObject {
  const { completions: _, ...capabilities } = writeNewer(offered);
  return capabilities;
}
