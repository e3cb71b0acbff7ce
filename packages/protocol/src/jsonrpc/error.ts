// JSON-RPC errors: the codes of the specification (A.5) and the one error class that carries them.
import type { JsonObject } from "./message.ts";

// A.5, A-40
/** All error codes that a peer of the model may send. Other codes of the range that MCP reserves are forbidden. */
export const errorCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  headerMismatch: -32020,
  missingClientCapability: -32021,
  unsupportedProtocolVersion: -32022,
} as const;

/** The `error` member of a response. */
export interface JsonRpcErrorObject {
  code: number;
  message: string;
  data?: unknown;
}

/** The HTTP status of a request that a process rejects: over a rate limit (429) or under load (503). */
export type RefusalStatus = 429 | 503;

/** Options of an McpError. */
export interface McpErrorOptions {
  /** Details for the peer, as JSON. Default: none. */
  data?: unknown;
  /** The underlying error, for logs. Never sent to a peer. */
  cause?: unknown;
  /** Set for a rejection by this process. Never sent to a peer: another server's rejection is not ours. */
  refusalStatus?: RefusalStatus;
}

/** An error that a peer may see. Compare by `code`, never with `instanceof`. */
export class McpError extends Error {
  readonly code: number;
  readonly data: unknown;
  /** The HTTP status of a rejection by this process. A plain member, so that it survives forwarding between processes. */
  declare readonly refusalStatus?: RefusalStatus;

  constructor(code: number, message: string, options: McpErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "McpError";
    this.code = code;
    this.data = options.data;
    if (options.refusalStatus !== undefined) this.refusalStatus = options.refusalStatus;
  }

  /** Turns anything thrown into an McpError. Keeps an unknown error as `cause` for logs and hides it from the peer. */
  static from(thrown: unknown): McpError {
    if (isMcpError(thrown)) return thrown;
    return new McpError(errorCode.internalError, "internal error", { cause: thrown });
  }
}

/** True for an McpError, also of another copy of this package. */
export function isMcpError(value: unknown): value is McpError {
  return value instanceof Error && value.name === "McpError" && typeof (value as McpError).code === "number";
}

/** The `error` member of a response for this error. */
export function toErrorObject(error: McpError): JsonRpcErrorObject {
  return error.data === undefined
    ? { code: error.code, message: error.message }
    : { code: error.code, message: error.message, data: error.data };
}

/** McpError -32602. */
export function invalidParams(message: string, data?: unknown): McpError {
  return new McpError(errorCode.invalidParams, message, { data });
}

/** McpError -32601. */
export function methodNotFound(method: string): McpError {
  return new McpError(errorCode.methodNotFound, `method not found: ${method}`);
}

//
/** Capabilities named in a message. */
const maxNamed = 8;

//
/** McpError -32021. `required` holds only capabilities that the client lacks, for example `{ elicitation: { url: {} } }`. */
export function missingClientCapability(required: Record<string, unknown>): McpError {
  const names = Object.entries(required).flatMap(([name, value]) => {
    const parts = typeof value === "object" && value !== null ? Object.keys(value) : [];
    return parts.length > 0 ? parts.map((part) => `${name}.${part}`) : [name];
  });
  const list = names.length > 0 ? `: ${names.slice(0, maxNamed).join(", ")}` : "";
  return new McpError(errorCode.missingClientCapability, `missing required client capability${list}`, {
    data: { requiredCapabilities: required },
  });
}

//
/** McpError -32022. */
export function unsupportedProtocolVersion(requested: string, supported: readonly string[]): McpError {
  return new McpError(errorCode.unsupportedProtocolVersion, "unsupported protocol version", {
    data: { supported, requested },
  });
}

/** McpError -32020. */
export function headerMismatch(message: string): McpError {
  return new McpError(errorCode.headerMismatch, `header mismatch: ${message}`);
}

// no code of the specification fits, and its reserved ranges are closed to us.
/**
 * McpError -32603 for a request that is rejected under load. `data.retryAfterMs` tells when to retry. Over HTTP it answers
 * 503, so that load balancers choose another process.
 */
export function overloaded(message: string, retryAfterMs: number, data?: JsonObject): McpError {
  return refusal(503, message, retryAfterMs, data);
}

/** McpError -32603 for a caller that exceeds its rate limit. `data.retryAfterMs` tells when to retry. Over HTTP it answers 429. */
export function tooManyRequests(message: string, retryAfterMs: number): McpError {
  return refusal(429, message, retryAfterMs);
}

function refusal(refusalStatus: RefusalStatus, message: string, retryAfterMs: number, more?: JsonObject): McpError {
  const data = { ...more, retryAfterMs: Math.ceil(retryAfterMs) };
  return new McpError(errorCode.internalError, message, { data, refusalStatus });
}

/** The HTTP status of a rejection of this process, and the delay before a retry in ms. Undefined for any other error. */
export function refusalOf(error: McpError): { status: RefusalStatus; retryAfterMs: number } | undefined {
  const { refusalStatus: status, data } = error;
  return status && { status, retryAfterMs: (data as { retryAfterMs: number }).retryAfterMs };
}
