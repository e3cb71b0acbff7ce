// Steps 4 to 10 of B-35: turns the body of a POST into a request that may run, or into the answer that rejects it. Pure: reads no
// socket and changes no state.
import {
  checkMethodHeaders,
  checkVersionHeader,
  errorCode,
  type HeaderReader,
  hasModernMeta,
  isJsonObject,
  isNotification,
  isRequest,
  isRequestId,
  type JsonRpcNotification,
  type JsonRpcRequest,
  legacyRevisions,
  McpError,
  type ModernRequest,
  modernRevisions,
  parseEnvelope,
  parseJson,
  parseMessage,
  type RequestId,
  requireSupportedVersion,
  toModelRequest,
  unsupportedProtocolVersion,
} from "@lethe/protocol";
import { type HttpAnswer, toErrorAnswer } from "./answers.ts";
import { acceptedRevisions, type LegacyEdge, type RequestHead, type Servable } from "./servable.ts";

export type Admission =
  | { readonly kind: "request"; readonly request: ModernRequest }
  | { readonly kind: "notification"; readonly notification: JsonRpcNotification }
  | { readonly kind: "legacy"; readonly message: unknown }
  | { readonly kind: "refused"; readonly answer: HttpAnswer };

/** What of a server decides about admission. */
export interface AdmittingServer extends Pick<Servable, "laterRevisions"> {
  readonly legacy?: Pick<LegacyEdge, "claims"> | undefined;
}

export function admit(text: string, head: RequestHead, server: AdmittingServer = {}): Admission {
  let message: unknown;
  try {
    message = parseJson(text);
  } catch (error) {
    return refused(error, undefined);
  }
  return admitMessage(message, head, server);
}

/** Like `admit`, for a body that a framework has parsed. */
export function admitMessage(value: unknown, head: RequestHead, server: AdmittingServer = {}): Admission {
  if (server.legacy?.claims(value, head)) return { kind: "legacy", message: value };
  try {
    const message = parseMessage(value);
    if (isNotification(message)) return { kind: "notification", notification: message };
    if (!isRequest(message)) throw new McpError(errorCode.invalidRequest, "expected a request, got a response");
    return { kind: "request", request: admitRequest(message, head.headers, server) };
  } catch (error) {
    return refused(error, requestIdOf(value));
  }
}

function admitRequest(message: JsonRpcRequest, headers: HeaderReader, server: AdmittingServer): ModernRequest {
  const version = headers("mcp-protocol-version") ?? "";
  const isOurs = modernRevisions.includes(version);
  if (!isOurs) {
    refuseHandshake(message);
    refuseUnknownVersion(message, version);
  }
  const request = parseEnvelope(message);
  checkVersionHeader(request, headers);
  if (!isOurs) requireSupportedVersion(request, acceptedRevisions(server));
  checkMethodHeaders(toModelRequest(request), headers);
  return request;
}

/** D-37: rejects a legacy client whose header names an unknown revision. */
function refuseUnknownVersion(message: JsonRpcRequest, version: string): void {
  if (version === "" || legacyRevisions.includes(version) || hasModernMeta(message)) return;
  const text = `unsupported protocol version in the header MCP-Protocol-Version: ${JSON.stringify(version)}`;
  const data = { supported: modernRevisions, requested: version };
  throw new McpError(errorCode.unsupportedProtocolVersion, text, { data });
}

/** Throws McpError -32022 with the supported revisions if the message is the `initialize` of a legacy client. */
export function refuseHandshake(message: JsonRpcRequest): void {
  const requested = message.params?.protocolVersion;
  if (message.method !== "initialize" || hasModernMeta(message) || typeof requested !== "string") return;
  throw unsupportedProtocolVersion(requested, modernRevisions);
}

/** Every rejection here has status 400, including -32602 for an invalid envelope. */
function refused(error: unknown, id: RequestId | undefined): Admission {
  return { kind: "refused", answer: toErrorAnswer(error, id, { status: 400 }) };
}

/** The id that an error response repeats. Undefined for a response, whose id belongs to a request of the other side. */
export function requestIdOf(value: unknown): RequestId | undefined {
  return isJsonObject(value) && "method" in value && isRequestId(value.id) ? value.id : undefined;
}
