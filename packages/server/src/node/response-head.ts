// Writes the heads of responses. `keepAlive` is the `Keep-Alive` header of connections that stay open: Node adds it only where it closes
// idle connections itself.
import type { ServerResponse } from "node:http";
import { type HttpAnswer, jsonHeaders } from "../http/answers.ts";

type Headers = Readonly<Record<string, string | number>>;

/** Returns the length of the body, in bytes. */
export function writeAnswerHead(response: ServerResponse, answer: HttpAnswer, keepAlive: string | undefined): number {
  const { status, headers, body, bytes } = answer;
  const length = bytes?.byteLength ?? Buffer.byteLength(body);
  if (headers === jsonHeaders) writeJsonHead(response, status, length, keepAlive);
  else writeHead(response, status, status === 204 ? headers : { ...headers, "Content-Length": length }, keepAlive);
  return length;
}

/** An array of headers is cheaper than an object, which Node copies. */
function writeJsonHead(response: ServerResponse, status: number, length: number, keepAlive: string | undefined): void {
  const headers = ["Content-Type", "application/json", "Content-Length", length];
  if (keepAlive !== undefined && response.shouldKeepAlive) headers.push("Keep-Alive", keepAlive);
  response.writeHead(status, headers);
}

export function writeHead(
  response: ServerResponse,
  status: number,
  headers: Headers,
  keepAlive: string | undefined,
): void {
  const isKept = keepAlive !== undefined && response.shouldKeepAlive && !("Connection" in headers);
  response.writeHead(status, isKept ? { ...headers, "Keep-Alive": keepAlive } : headers);
}
