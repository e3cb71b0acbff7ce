// The request envelope: the `_meta` that every modern request carries (A.2), and its checks (A-20, D-1).
import { invalidParams } from "../jsonrpc/error.ts";
import { isJsonObject, type JsonObject, type JsonRpcRequest, nameOf, type RequestId } from "../jsonrpc/message.ts";
import type { ClientCapabilities, Implementation } from "./capabilities.ts";
import { metaKey } from "./keys.ts";

export type ProgressToken = string | number;

/** `params._meta` of a modern request, exactly as it came; unknown keys are kept. */
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

export interface RequestParams {
  _meta: RequestMeta;
  [key: string]: unknown;
}

/** What a client of 2025-11-25 sends as `task` with a call (D-38). */
export interface TaskAugmentation {
  /** How long the client wants the task to be kept, in ms. Default: the server decides. */
  readonly ttlMs?: number | undefined;
}

/** A request whose envelope was checked. The params of its method are not: each method parses its own. */
export interface ModernRequest {
  id: RequestId;
  method: string;
  params: RequestParams;
  /** Set by the edge of 2025-11-25. A plain member, so that it survives forwarding between processes. */
  taskAugmentation?: TaskAugmentation;
  /**
   * Set by the edges of older revisions: the client expects what a session offers, such as requests that a server pushes, log
   * levels and `resources/subscribe`. A proxy sends the request over a connection that has these, if there is one.
   */
  prefersSession?: boolean;
  /** Set by the edges of older revisions: how many times the client has announced that its roots changed. Absent: never. */
  rootsVersion?: number;
}

/** True when the body alone shows a modern request (D.4 step 1). */
export function hasModernMeta(request: JsonRpcRequest): boolean {
  const meta = request.params?._meta;
  return isJsonObject(meta) && meta[metaKey.protocolVersion] !== undefined;
}

/** the envelope must be there and well formed; throws McpError -32602. Returns the same object, typed. */
export function parseEnvelope(request: JsonRpcRequest): ModernRequest {
  const meta = request.params?._meta;
  if (!isJsonObject(meta)) throw invalidParams(`params._meta must be an object, got ${nameOf(meta)}`);
  requireMember(meta, metaKey.protocolVersion, typeof meta[metaKey.protocolVersion] === "string", "a string");
  requireMember(meta, metaKey.clientCapabilities, isJsonObject(meta[metaKey.clientCapabilities]), "an object");
  const modern = request as unknown as ModernRequest;
  // None is part of this revision: only an edge sets them.
  if (modern.taskAugmentation !== undefined) delete modern.taskAugmentation;
  if (modern.prefersSession !== undefined) delete modern.prefersSession;
  if (modern.rootsVersion !== undefined) delete modern.rootsVersion;
  return modern;
}

function requireMember(meta: JsonObject, key: string, isRight: boolean, expected: string): void {
  if (!isRight) throw invalidParams(`params._meta["${key}"] must be ${expected}, got ${nameOf(meta[key])}`);
}

export function protocolVersionOf(request: ModernRequest): string {
  return request.params._meta[metaKey.protocolVersion];
}

export function clientCapabilitiesOf(request: ModernRequest): ClientCapabilities {
  return request.params._meta[metaKey.clientCapabilities];
}

/** Display and log data only; undefined when absent or malformed. */
export function clientInfoOf(request: ModernRequest): Implementation | undefined {
  return parseImplementation(request.params._meta[metaKey.clientInfo]);
}

/** An Implementation, or undefined for anything that is not one. */
export function parseImplementation(value: unknown): Implementation | undefined {
  if (!isJsonObject(value)) return undefined;
  if (typeof value.name !== "string" || typeof value.version !== "string") return undefined;
  return value as unknown as Implementation;
}
