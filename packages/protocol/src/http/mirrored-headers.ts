// The headers that repeat members of a request's body so that proxies can route without reading it (B.3).
import { headerMismatch } from "../jsonrpc/error.ts";
import { type ModernRequest, protocolVersionOf } from "../meta/envelope.ts";
import { targetNameOf } from "../model/methods.ts";
import { decodeHeaderValue, encodeHeaderValue, trimFieldValue } from "./header-value.ts";

/** The HTTP headers of one request, by lower-case name. A header that came twice reads as its values joined by ", ". */
export type HeaderReader = (name: string) => string | undefined;

export const protocolVersionHeader = "mcp-protocol-version";
export const methodHeader = "mcp-method";
export const nameHeader = "mcp-name";

/** B-32, B-33: throws McpError -32020. Whether the version is supported is the next question, not this one. */
export function checkVersionHeader(request: ModernRequest, headers: HeaderReader): void {
  requireLiteral(protocolVersionHeader, protocolVersionOf(request), headers);
}

/**
 * `Mcp-Method` and `Mcp-Name` against the body (B-31, B-37): throws McpError -32020. A request whose params lack the
 * name has nothing to compare: its method's own parser refuses it with -32602.
 */
export function checkMethodHeaders(request: ModernRequest, headers: HeaderReader): void {
  requireLiteral(methodHeader, request.method, headers);
  const name = targetNameOf(request.method, request.params);
  if (name === undefined) return;
  const value = headers(nameHeader);
  if (value === undefined) throw headerMismatch(`${nameHeader} is missing`);
  if (decodeHeaderValue(value) !== name) throw mismatch(nameHeader, name, value);
}

/** What a client sends beside the body of a request. */
export function toMirroredHeaders(request: ModernRequest): Record<string, string> {
  const headers: Record<string, string> = {
    [protocolVersionHeader]: protocolVersionOf(request),
    [methodHeader]: request.method,
  };
  const name = targetNameOf(request.method, request.params);
  if (name !== undefined) headers[nameHeader] = encodeHeaderValue(name);
  return headers;
}

/** These two have no encoded form. An illegal character needs no check: no known method or version has one. */
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
