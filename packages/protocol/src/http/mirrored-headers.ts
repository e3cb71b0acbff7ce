// Headers that repeat members of a request's body, so that proxies can route without reading it (B.3).
import { headerMismatch } from "../jsonrpc/error.ts";
import { type ModernRequest, protocolVersionOf } from "../meta/envelope.ts";
import { targetNameOf } from "../model/methods.ts";
import { decodeHeaderValue, encodeHeaderValue, trimFieldValue } from "./header-value.ts";

/** Reads an HTTP header by its lower-case name. Values of a repeated header are joined by ", ". */
export type HeaderReader = (name: string) => string | undefined;

/** The header that names the revision. */
export const protocolVersionHeader = "mcp-protocol-version";
/** The header that repeats the method. */
export const methodHeader = "mcp-method";
/** The header that repeats the name, URI or task id. */
export const nameHeader = "mcp-name";

// B-32, B-33
/** Throws McpError -32020 unless the version header repeats the body. Does not check whether the version is supported. */
export function checkVersionHeader(request: ModernRequest, headers: HeaderReader): void {
  requireLiteral(protocolVersionHeader, protocolVersionOf(request), headers);
}

// B-31, B-37
/**
 * Throws McpError -32020 unless `Mcp-Method` and `Mcp-Name` repeat the body. A request without a name has nothing to compare:
 * the parser of its method rejects it with -32602.
 */
export function checkMethodHeaders(request: ModernRequest, headers: HeaderReader): void {
  requireLiteral(methodHeader, request.method, headers);
  const name = targetNameOf(request.method, request.params);
  if (name === undefined) return;
  const value = headers(nameHeader);
  if (value === undefined) throw headerMismatch(`${nameHeader} is missing`);
  if (decodeHeaderValue(value) !== name) throw mismatch(nameHeader, name, value);
}

/** The headers that a client sends with a request. */
export function toMirroredHeaders(request: ModernRequest): Record<string, string> {
  const headers: Record<string, string> = {
    [protocolVersionHeader]: protocolVersionOf(request),
    [methodHeader]: request.method,
  };
  const name = targetNameOf(request.method, request.params);
  if (name !== undefined) headers[nameHeader] = encodeHeaderValue(name);
  return headers;
}

/** Both headers have no encoded form. No known method or version has an illegal character, so none is checked for. */
function requireLiteral(header: string, expected: string, headers: HeaderReader): void {
  const value = headers(header);
  if (value === expected) return;
  if (value === undefined) throw headerMismatch(`${header} is missing`);
  if (trimFieldValue(value) !== expected) throw mismatch(header, expected, value);
}

function mismatch(header: string, expected: string, value: string): Error {
  return headerMismatch(`${header} must be ${quote(expected)} as in the body, got ${quote(value)}`);
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text);
}
