// Decides whether a message belongs to an older revision (D.4). The body decides, because a header alone proves nothing (J-27).
import {
  type HeaderReader,
  hasModernMeta,
  isJsonObject,
  type JsonRpcRequest,
  modernRevisions,
  notificationMethod,
  protocolVersionHeader,
} from "@lethe/protocol";
import { isCoreTaskMethod, isLegacyRevision, isModernOnlyMethod, legacyMethod } from "@lethe/protocol/revisions";

export const sessionHeader = "mcp-session-id";

export function isModernRevision(version: string | undefined): boolean {
  return version !== undefined && modernRevisions.includes(version);
}

/** `message` is a parsed body that has not been validated. */
export function isLegacyBody(message: unknown, headers: HeaderReader): boolean {
  const version = headers(protocolVersionHeader);
  if (isModernRevision(version)) return false;
  if (Array.isArray(message)) return true;
  if (!isJsonObject(message)) return false;
  if (typeof message.method !== "string") return "result" in message || "error" in message;
  if (!("id" in message)) return headers(sessionHeader) !== undefined;
  if (hasModernMeta(message as unknown as JsonRpcRequest)) return false;
  if (isCoreTaskMethod(message.method)) return isLegacyRevision(version);
  if (isModernOnlyMethod(message.method)) return false;
  return message.method === legacyMethod.initialize || version === undefined || isLegacyRevision(version);
}

/**
 * For stdio and HTTP+SSE, where messages have no headers: a message that both eras allow belongs to the era in use. False for `cancelled`,
 * which belongs to the era of its request.
 */
export function isLegacyMessage(value: unknown, hasSession: boolean): boolean {
  if (Array.isArray(value)) return hasSession;
  if (!isJsonObject(value)) return false;
  if (typeof value.method !== "string") return hasSession;
  if ("id" in value) return isLegacyRequest(value as unknown as JsonRpcRequest, hasSession);
  return hasSession && value.method !== notificationMethod.cancelled;
}

/** `initialize` identifies a legacy client. */
function isLegacyRequest(message: JsonRpcRequest, hasSession: boolean): boolean {
  if (hasModernMeta(message)) return false;
  if (isCoreTaskMethod(message.method)) return hasSession;
  if (isModernOnlyMethod(message.method)) return false;
  return hasSession || message.method === legacyMethod.initialize || message.method === legacyMethod.ping;
}
