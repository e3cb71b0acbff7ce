// Which messages are of an older revision (D.4). The body decides: a header alone is no proof of an era (J-27).
import {
  type HeaderReader,
  hasModernMeta,
  isJsonObject,
  type JsonRpcRequest,
  modernRevisions,
  protocolVersionHeader,
} from "@lethe/protocol";
import { isCoreTaskMethod, isLegacyRevision, isModernOnlyMethod, legacyMethod } from "@lethe/protocol/revisions";

export const sessionHeader = "mcp-session-id";

export function isModernRevision(version: string | undefined): boolean {
  return version !== undefined && modernRevisions.includes(version);
}

/** `message` is a parsed body, not checked yet. */
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

/** Of a message on a byte stream, where there are no headers: `initialize` is what tells an older client. */
export function isLegacyRequest(message: JsonRpcRequest, hasSession: boolean): boolean {
  if (hasModernMeta(message)) return false;
  if (isCoreTaskMethod(message.method)) return hasSession;
  if (isModernOnlyMethod(message.method)) return false;
  return hasSession || message.method === legacyMethod.initialize || message.method === legacyMethod.ping;
}
