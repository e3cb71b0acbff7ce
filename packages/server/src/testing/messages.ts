// Messages that the tests of the edges send.
import { type JsonObject, metaKey, modelRevision } from "@lethe/protocol";

export const version = modelRevision;

export function metaOf(members: JsonObject = {}): JsonObject {
  return { [metaKey.protocolVersion]: version, [metaKey.clientCapabilities]: {}, ...members };
}

export function requestOf(method: string, params: JsonObject = {}, id: unknown = 1): JsonObject {
  return { jsonrpc: "2.0", id, method, params: { _meta: metaOf(), ...params } };
}

export function callOf(name = "add", id: unknown = 1): JsonObject {
  return requestOf("tools/call", { name, arguments: {} }, id);
}

export const progress = {
  jsonrpc: "2.0" as const,
  method: "notifications/progress",
  params: { progressToken: 1, progress: 1 },
};
