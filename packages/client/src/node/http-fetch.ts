// A fetch over node:http that follows no redirect, keeps no connection open, and reports the address of its peer.
import type { IncomingMessage } from "node:http";
import { Agent, request as requestHttp } from "node:http";
import { type AgentOptions, request as requestHttps, Agent as SecureAgent } from "node:https";
import type { LookupFunction } from "node:net";
import { Readable } from "node:stream";

export interface AddressedResponse {
  readonly response: Response;
  /** The peer's address. */
  readonly address: string | undefined;
}

export type HttpFetch = (url: string, init: RequestInit, lookup: LookupFunction) => Promise<AddressedResponse>;

export function createHttpFetch(tls: AgentOptions = {}): HttpFetch {
  // A separate agent without keep-alive: the address of an open connection would not be checked.
  const agent = new Agent({ keepAlive: false });
  const secureAgent = new SecureAgent({ ...tls, keepAlive: false });
  return (url, init, lookup) => {
    const { method = "GET", body, signal } = init;
    const isSecure = url.startsWith("https:");
    const options = {
      method,
      headers: toHeaders(init),
      lookup,
      agent: isSecure ? secureAgent : agent,
      ...(signal && { signal }),
    };
    return new Promise((resolve, reject) => {
      const request = (isSecure ? requestHttps : requestHttp)(url, options);
      request.on("response", (message) => {
        try {
          resolve({ response: toResponse(message), address: message.socket.remoteAddress });
        } catch (error) {
          // A status such as 999, which no Response can have.
          message.destroy();
          reject(error);
        }
      });
      request.on("error", reject);
      // Authorization sends forms and JSON only.
      request.end(body === undefined || body === null ? undefined : String(body));
    });
  };
}

function toHeaders({ headers, body }: RequestInit): Record<string, string> {
  const form = body instanceof URLSearchParams && { "content-type": "application/x-www-form-urlencoded;charset=UTF-8" };
  return { accept: "*/*", "user-agent": "lethe", ...form, ...Object.fromEntries(new Headers(headers)) };
}

function toResponse(message: IncomingMessage): Response {
  const status = message.statusCode ?? 0;
  // Checked here: a framework may have replaced the global Response by one that accepts any status.
  if (status < 200 || status > 599) throw new RangeError(`a status from 200 to 599 expected, got ${status}`);
  const headers = new Headers();
  for (const [name, value] of Object.entries(message.headers)) headers.set(name, String(value));
  const isEmpty = status === 204 || status === 205 || status === 304;
  if (isEmpty) message.resume();
  return new Response(isEmpty ? null : (Readable.toWeb(message) as ReadableStream), { status, headers });
}
