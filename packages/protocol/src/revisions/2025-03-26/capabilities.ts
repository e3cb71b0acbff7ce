// Capabilities of 2025-03-26: no elicitation.
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ClientCapabilities } from "../../meta/capabilities.ts";
import { readClientCapabilities as readNewer } from "../2025-06-18/capabilities.ts";

export { readServerCapabilities, writeServerCapabilities } from "../2025-06-18/capabilities.ts";

export function readClientCapabilities(declared: JsonObject): ClientCapabilities {
  const { elicitation: _, ...capabilities } = readNewer(declared);
  return capabilities;
}
