// The request envelope: the `_meta` of every request of the model (A.2), and its checks.
import { invalidParams } from "../jsonrpc/error.ts";
import { isJsonObject, type JsonObject, type JsonRpcRequest, nameOf, type RequestId } from "../jsonrpc/message.ts";
import type { ClientCapabilities, Implementation } from "./capabilities.ts";
import { metaKey } from "./keys.ts";

/** Names a request in its progress notifications. */
export type ProgressToken = string | number;

//
/** `params._meta` of a request, unchanged. Unknown keys are kept. */
export interface RequestMeta {
  "io.modelcontextprotocol/protocolVersion": string;
  "io.modelcontextprotocol/clientCapabilities": ClientCapabilities;
  "io.modelcontextprotocol/clientInfo"?: Implementation;
  "io.modelcontextprotocol/logLevel"?: string;
  progressToken?: ProgressToken;
  traceparent?: string;
  tracestate?: string;
  baggage?: string;
  [key: string]: unknown;
}

/** Params of a request of the model. */
export interface RequestParams {
  _meta: RequestMeta;
  [key: string]: unknown;
}

// D-38
/** The `task` member that a client of 2025-11-25 adds to a call. */
export interface TaskAugmentation {
  /** How long the client wants the server to keep the task, in ms. Default: the server decides. */
  readonly ttlMs?: number | undefined;
}

/** A request of the model with a checked envelope. Each method parses its own params. */
export interface ModernRequest {
  id: RequestId;
  method: string;
  params: RequestParams;
  /** Set by the edge of 2025-11-25: the client asks to run the call as a task. Survives forwarding between processes. */
  taskAugmentation?: TaskAugmentation;
  /**
   * Set by the edges of older revisions: the client expects session features such as server requests, log levels and
   * `resources/subscribe`. A proxy prefers a connection that has them.
   */
  prefersSession?: boolean;
  /**
   * Set by the edges of older revisions: an id of the client's last announcement that its roots changed, unique across sessions.
   * Absent: the client has announced no change.
   */
  rootsVersion?: string;
  /**
   * Set by an edge: the message is a notification of an extension, which a proxy passes on. Its result is not sent. Survives forwarding
   * between processes.
   */
  isNotification?: boolean;
  /** Set by a gateway for a request that another replica forwarded to it. */
  isForwarded?: boolean;
  /**
   * Set by a gateway for a request that it forwards because another replica has more room for its session. That replica opens the session, or
   * refuses before the request has started. Survives forwarding between processes.
   */
  isHandedOn?: boolean;
  /** Set by a program that shows messages: a client calls it with the heads of the HTTP messages that carry the request. */
  onHttpHeads?(heads: HttpHeads): void;
}

/** The heads of an HTTP request and of its response. They contain credentials. */
export interface HttpHeads {
  /** The headers of the request, by lower-case name. */
  readonly sent: Readonly<Record<string, string>>;
  readonly status: number;
  /** Returns the value of a header of the response by lower-case name. */
  readonly received: (name: string) => string | undefined;
}

// D.4
// D.4 step 1
/** True if the body carries an envelope. */
export function hasModernMeta(request: JsonRpcRequest): boolean {
  const meta = request.params?._meta;
  return isJsonObject(meta) && meta[metaKey.protocolVersion] !== undefined;
}

//
/** Checks the envelope and returns `request` itself, typed. Throws McpError -32602 for a missing or malformed member. */
export function parseEnvelope(request: JsonRpcRequest): ModernRequest {
  const meta = request.params?._meta;
  if (!isJsonObject(meta)) throw invalidParams(`params._meta must be an object, got ${nameOf(meta)}`);
  requireMember(meta, metaKey.protocolVersion, typeof meta[metaKey.protocolVersion] === "string", "a string");
  requireMember(meta, metaKey.clientCapabilities, isJsonObject(meta[metaKey.clientCapabilities]), "an object");
  const modern = request as unknown as ModernRequest;
  // A client cannot set these members: only an edge may.
  if (modern.taskAugmentation !== undefined) delete modern.taskAugmentation;
  if (modern.prefersSession !== undefined) delete modern.prefersSession;
  if (modern.rootsVersion !== undefined) delete modern.rootsVersion;
  if (modern.isNotification !== undefined) delete modern.isNotification;
  if (modern.isForwarded !== undefined) delete modern.isForwarded;
  if (modern.isHandedOn !== undefined) delete modern.isHandedOn;
  if (modern.onHttpHeads !== undefined) delete modern.onHttpHeads;
  return modern;
}

function requireMember(meta: JsonObject, key: string, isRight: boolean, expected: string): void {
  if (!isRight) throw invalidParams(`params._meta["${key}"] must be ${expected}, got ${nameOf(meta[key])}`);
}

/** The revision that the envelope names. */
export function protocolVersionOf(request: ModernRequest): string {
  return request.params._meta[metaKey.protocolVersion];
}

/** The capabilities that the client declares with this request. */
export function clientCapabilitiesOf(request: ModernRequest): ClientCapabilities {
  return request.params._meta[metaKey.clientCapabilities];
}

//
/** The client's identity, for display and logs only. Undefined if absent or malformed. */
export function clientInfoOf(request: ModernRequest): Implementation | undefined {
  return parseImplementation(request.params._meta[metaKey.clientInfo]);
}

//
/** Returns `value` if it is an Implementation, else undefined. */
export function parseImplementation(value: unknown): Implementation | undefined {
  if (!isJsonObject(value)) return undefined;
  if (typeof value.name !== "string" || typeof value.version !== "string") return undefined;
  return value as unknown as Implementation;
}
