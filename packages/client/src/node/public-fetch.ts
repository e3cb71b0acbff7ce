// A fetch that reaches public addresses only (G-51), for programs that follow URLs from servers on behalf of many users.
import { type LookupAddress, lookup } from "node:dns";
import type { IncomingMessage } from "node:http";
import { Agent, request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { Readable } from "node:stream";
import type { Fetch } from "../auth/auth-fetch.ts";
import { isPublicAddress } from "./public-address.ts";

/**
 * Only https, no redirects, and no address that is private, local or reserved. The address is checked when the
 * connection is made, so a name cannot change its mind in between.
 */
export function createPublicFetch(): Fetch {
  // Of its own: a connection that others keep open was not checked.
  const agent = new Agent();
  return async (url, init) => {
    const { protocol, hostname, host } = new URL(url);
    if (protocol !== "https:") throw new TypeError(`only https URLs are fetched, got ${protocol}`);
    const literal = hostname.replace(/^\[|\]$/g, "");
    if (isIP(literal) !== 0 && !isPublicAddress(literal)) throw notPublic(host);
    return send(url, init, agent);
  };
}

function send(url: string, init: RequestInit, agent: Agent): Promise<Response> {
  const { method = "GET", headers, body, signal } = init;
  return new Promise((resolve, reject) => {
    const options = { method, agent, headers: Object.fromEntries(new Headers(headers)), lookup: lookupPublic };
    const request = requestHttps(url, signal ? { ...options, signal } : options);
    request.on("response", (message) => resolve(toResponse(message)));
    request.on("error", reject);
    // Forms and JSON are all that is sent here.
    request.end(body === undefined || body === null ? undefined : String(body));
  });
}

function toResponse(message: IncomingMessage): Response {
  const status = message.statusCode ?? 0;
  const headers = new Headers();
  for (const [name, value] of Object.entries(message.headers)) headers.set(name, String(value));
  const isEmpty = status === 204 || status === 205 || status === 304;
  if (isEmpty) message.resume();
  return new Response(isEmpty ? null : (Readable.toWeb(message) as ReadableStream), { status, headers });
}

export const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, []);
    // One private address among public ones would be enough to be led astray.
    if (!addresses.every(({ address }) => isPublicAddress(address))) return callback(notPublic(hostname), []);
    if (options.all) return callback(null, addresses);
    const [{ address, family }] = addresses as [LookupAddress];
    callback(null, address, family);
  });
};

function notPublic(host: string): Error {
  return new Error(`${host} has an address that is not public`);
}
