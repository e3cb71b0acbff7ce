// Errors as JSON: the author's code has its own copies of our error classes, so they are recognised by their names.
import { isMcpError, McpError } from "@lethe/protocol";
import { AuthenticationError, isAuthenticationError } from "@lethe/server/auth";

export interface WireError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string | undefined;
  /** Of an McpError. */
  readonly code?: number;
  readonly data?: unknown;
  readonly refusalStatus?: McpError["refusalStatus"];
  /** Of an AuthenticationError. */
  readonly status?: AuthenticationError["status"];
  readonly wwwAuthenticate?: string | undefined;
}

export function toWireError(thrown: unknown): WireError {
  if (!(thrown instanceof Error)) return { name: "Error", message: `${describe(thrown)} was thrown` };
  const { name, message, stack } = thrown;
  if (isMcpError(thrown)) {
    const { code, data, refusalStatus } = thrown;
    return { name, message, stack, code, data, ...(refusalStatus !== undefined && { refusalStatus }) };
  }
  if (isAuthenticationError(thrown)) {
    const { status, wwwAuthenticate } = thrown;
    return { name, message, stack, status, wwwAuthenticate };
  }
  return { name, message, stack };
}

export function fromWireError(wire: WireError): Error {
  const { name, message, stack, code, data, refusalStatus, status, wwwAuthenticate } = wire;
  if (name === "McpError" && code !== undefined) {
    return new McpError(code, message, { data, ...(refusalStatus !== undefined && { refusalStatus }) });
  }
  if (name === "AuthenticationError" && status !== undefined) {
    return new AuthenticationError(status, message, wwwAuthenticate === undefined ? {} : { wwwAuthenticate });
  }
  return Object.assign(new Error(message), { name, stack: stack ?? `${name}: ${message}` });
}

function describe(thrown: unknown): string {
  return typeof thrown === "string" ? JSON.stringify(thrown) : String(thrown);
}
