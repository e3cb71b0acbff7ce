// Capabilities of 2025-06-18: form elicitation only. Any client that samples may be asked to include context.
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ClientCapabilities } from "../../meta/capabilities.ts";
import { readClientCapabilities as readNewer } from "../2025-11-25/capabilities.ts";

export { readServerCapabilities, writeWithoutTasks as writeServerCapabilities } from "../2025-11-25/capabilities.ts";

export function readClientCapabilities(declared: JsonObject): ClientCapabilities {
  const capabilities = readNewer(declared);
  if (capabilities.elicitation) capabilities.elicitation = {};
  if (capabilities.sampling) capabilities.sampling = { context: {} };
  return capabilities;
}
