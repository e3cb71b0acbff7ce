// Capabilities of 2025-06-18: elicitation is by form, and a client may be asked for context without saying so.
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ClientCapabilities } from "../../meta/capabilities.ts";
import { toModernCapabilities as toNewer } from "../2025-11-25/capabilities.ts";

export function toModernCapabilities(declared: JsonObject): ClientCapabilities {
  const capabilities = toNewer(declared);
  if (capabilities.elicitation) capabilities.elicitation = {};
  if (capabilities.sampling) capabilities.sampling = { context: {} };
  return capabilities;
}
