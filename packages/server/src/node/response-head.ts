// Writes the heads of responses. `keepAlive` is the `Keep-Alive` header of connections that stay open: Node adds it only where it closes
// idle connections itself.
import type { ServerResponse } from "node:http";
import type { HttpAnswer } from "../http/answers.ts";

/** Names and values in turn: cheaper than an object, which Node copies. */
type HeaderList = (string | number)[];

/** Returns the length of the body, in bytes. */
export function writeAnswerHead(response: ServerResponse, answer: HttpAnswer, keepAlive: string | undefined): number {
  const { status, headers, body, bytes } = answer;
  const length = bytes?.byteLength ?? Buffer.byteLength(body);
  const list = toList(response, headers, keepAlive);
  if (status !== 204) list.push("Content-Length", length);
  response.writeHead(status, list);
  return length;
}

export function writeHead(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  keepAlive: string | undefined,
): void {
  response.writeHead(status, toList(response, headers, keepAlive));
}

function toList(
  { shouldKeepAlive }: ServerResponse,
  headers: Readonly<Record<string, string>>,
  keepAlive: string | undefined,
): HeaderList {
  const list: HeaderList = [];
  for (const name of Object.keys(headers)) list.push(name, headers[name] as string);
  if (keepAlive !== undefined && shouldKeepAlive && !("Connection" in headers)) list.push("Keep-Alive", keepAlive);
  return list;
}
