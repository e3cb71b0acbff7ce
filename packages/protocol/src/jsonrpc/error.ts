// JSON-RPC errors: the codes of the specification (A.5) and the one error class that carries them.
import type { JsonObject } from "./message.ts";

/** Every code that a modern peer may emit (A.5), and no other in the range that MCP reserves. */
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

/** The error member of a response, as it stands on the wire. */
export interface JsonRpcErrorObject {
  code: number;
  message: string;
  data?: unknown;
}

export interface McpErrorOptions {
  data?: unknown;
  /** What really happened. Stays in this process: it is for the log, never for the wire. */
  cause?: unknown;
}

/** An error that a peer may see. Compare by `code`, never by identity of the class. */
export class McpError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, options: McpErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "McpError";
    this.code = code;
    this.data = options.data;
  }

  /** Anything thrown becomes an McpError; an unknown cause is kept for the log and hidden from the peer. */
  static from(thrown: unknown): McpError {
    if (isMcpError(thrown)) return thrown;
    return new McpError(errorCode.internalError, "internal error", { cause: thrown });
  }
}

/** True for an McpError of any copy of this package. */
export function isMcpError(value: unknown): value is McpError {
  return value instanceof Error && value.name === "McpError" && typeof (value as McpError).code === "number";
}

/** The wire form of an error. */
export function toErrorObject(error: McpError): JsonRpcErrorObject {
  return error.data === undefined
    ? { code: error.code, message: error.message }
    : { code: error.code, message: error.message, data: error.data };
}

export function invalidParams(message: string, data?: unknown): McpError {
  return new McpError(errorCode.invalidParams, message, { data });
}

export function methodNotFound(method: string): McpError {
  return new McpError(errorCode.methodNotFound, `method not found: ${method}`);
}

/** `required` holds only what the client did not declare, for example `{ elicitation: { url: {} } }`. */
export function missingClientCapability(required: Record<string, unknown>): McpError {
  return new McpError(errorCode.missingClientCapability, "missing required client capability", {
    data: { requiredCapabilities: required },
  });
}

/** */
export function unsupportedProtocolVersion(requested: string, supported: readonly string[]): McpError {
  return new McpError(errorCode.unsupportedProtocolVersion, "unsupported protocol version", {
    data: { supported, requested },
  });
}

export function headerMismatch(message: string): McpError {
  return new McpError(errorCode.headerMismatch, `header mismatch: ${message}`);
}

/** Marks a refusal with the HTTP status that tells it best. Never on the wire: what another server refuses is its own. */
const refusalStatus: unique symbol = Symbol.for("lethe.refusalStatus");

/**
 * A refusal under load. -32603, for no code of the specification means it and the reserved ranges are closed to us
 * `data.retryAfterMs` says when to come again, beside what else is in `data`. Over HTTP it answers 503, so that load balancers go elsewhere.
 */
export function overloaded(message: string, retryAfterMs: number, data?: JsonObject): McpError {
  return refusal(503, message, retryAfterMs, data);
}

/** The same for a caller who asks too often, which says nothing of the server: over HTTP it answers 429. */
export function tooManyRequests(message: string, retryAfterMs: number): McpError {
  return refusal(429, message, retryAfterMs);
}

function refusal(status: 429 | 503, message: string, retryAfterMs: number, more?: JsonObject): McpError {
  const data = { ...more, retryAfterMs: Math.ceil(retryAfterMs) };
  const error = new McpError(errorCode.internalError, message, { data });
  return Object.defineProperty(error, refusalStatus, { value: status });
}

/** Of a refusal of this process, and in how many ms to come again; undefined for any other error. */
export function refusalOf(error: McpError): { status: 429 | 503; retryAfterMs: number } | undefined {
  const { [refusalStatus]: status, data } = error as { [refusalStatus]?: 429 | 503; data: unknown };
  return status && { status, retryAfterMs: (data as { retryAfterMs: number }).retryAfterMs };
}
