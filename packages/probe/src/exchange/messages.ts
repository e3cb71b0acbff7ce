// The messages that a probe sends. Their ids are unique, so that late and stray answers do not match (C-13).
import {
  type ClientCapabilities,
  type JsonObject,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type ModernRequest,
  metaKey,
  modelRevision,
} from "@lethe/protocol";
import { newestLegacyRevision } from "@lethe/protocol/revisions";

const clientInfo = { name: "lethe-probe", version: "0.1.0" };

/** All capabilities, because the features and requests of a server depend on those that its client declares. */
const capabilities: ClientCapabilities = { roots: {}, sampling: {}, elicitation: { form: {}, url: {} } };

export function toLegacyRequest(method: string, params?: JsonObject): JsonRpcRequest {
  return { jsonrpc: "2.0", id: `probe-${crypto.randomUUID()}`, method, ...(params && { params }) };
}

export function toModernRequest(method: string): JsonRpcRequest & ModernRequest {
  const envelope = {
    [metaKey.protocolVersion]: modelRevision,
    [metaKey.clientCapabilities]: capabilities,
    [metaKey.clientInfo]: clientInfo,
  };
  return toLegacyRequest(method, { _meta: envelope }) as JsonRpcRequest & ModernRequest;
}

export function toInitialize(): JsonRpcRequest {
  return toLegacyRequest("initialize", { protocolVersion: newestLegacyRevision, capabilities, clientInfo });
}

export const initialized: JsonRpcNotification = { jsonrpc: "2.0", method: "notifications/initialized" };
