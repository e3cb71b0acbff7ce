// Capabilities of 2025-03-26: nobody can be asked to fill in a form.
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ClientCapabilities } from "../../meta/capabilities.ts";
import { toModernCapabilities as toNewer } from "../2025-06-18/capabilities.ts";

export function toModernCapabilities(declared: JsonObject): ClientCapabilities {
  const { elicitation: _, ...capabilities } = toNewer(declared);
  return capabilities;
}
