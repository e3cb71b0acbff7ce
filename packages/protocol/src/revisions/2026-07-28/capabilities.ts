// Capabilities of 2026-07-28 are those of the model.
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ClientCapabilities, ServerCapabilities } from "../../meta/capabilities.ts";

export function readClientCapabilities(declared: JsonObject): ClientCapabilities {
  return declared;
}

export function readServerCapabilities(declared: JsonObject): ServerCapabilities {
  return declared;
}

export function writeServerCapabilities(offered: ServerCapabilities): JsonObject {
  return { ...offered };
}
