// A fetch over node:http that follows no redirect, keeps no connection open, and reports the address of its peer. It goes through the
// proxy that the environment names, if any.
import type { IncomingMessage } from "node:http";
import { Agent, type RequestOptions, request as requestHttp } from "node:http";
import { type AgentOptions, request as requestHttps, Agent as SecureAgent } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { Readable } from "node:stream";
import { connect as connectTls } from "node:tls";
import { type FindForwardProxy, type ForwardProxy, forwardProxiesOf, toProxyHeaders } from "./forward-proxy.ts";
import { openTunnel } from "./tunnel.ts";

export interface AddressedResponse {
  readonly response: Response;
  /** The peer's address. Undefined through a proxy, which alone knows it. */
  readonly address: string | undefined;
}

/** How names become addresses. */
export interface Resolving {
  /** Fails for an address that is not allowed. */
  readonly lookup: LookupFunction;
  /** Whether `lookup` is asked before a request through a proxy, too. A name that it does not find is left to the proxy. */
  readonly isGuarded: boolean;
}

export type HttpFetch = (url: string, init: RequestInit, resolving: Resolving) => Promise<AddressedResponse>;

/** What tests replace. */
export interface HttpFetchParts {
  readonly tls?: AgentOptions | undefined;
  readonly findProxy?: FindForwardProxy | undefined;
}

export function createHttpFetch({
  tls = {},
  findProxy = forwardProxiesOf(process.env),
}: HttpFetchParts = {}): HttpFetch {
  // A separate agent without keep-alive: the address of an open connection would not be checked.
  const agent = new Agent({ keepAlive: false });
  const secureAgent = new SecureAgent({ ...tls, keepAlive: false });
  return async (url, init, { lookup, isGuarded }) => {
    const { method = "GET", body, signal } = init;
    const target = new URL(url);
    const isSecure = target.protocol === "https:";
    const proxy = findProxy(target);
    if (proxy && isGuarded) await requireAllowed(target.hostname, lookup);
    const headers = toHeaders(init);
    const route = proxy
      ? throughProxy(proxy, target, { headers, tls, signal })
      : { headers, lookup, agent: isSecure ? secureAgent : agent };
    const options: RequestOptions = { method, ...route, ...(signal && { signal }) };
    return new Promise((resolve, reject) => {
      const request = (isSecure ? requestHttps : requestHttp)(url, options);
      request.on("response", (message) => {
        try {
          resolve({ response: toResponse(message), address: proxy ? undefined : message.socket.remoteAddress });
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

interface ProxiedRequest {
  readonly headers: Record<string, string>;
  readonly tls: AgentOptions;
  readonly signal: AbortSignal | null | undefined;
}

/** An http request asks the proxy for the whole URL; an https request gets a connection to the server. */
function throughProxy(proxy: ForwardProxy, url: URL, { headers, tls, signal }: ProxiedRequest): RequestOptions {
  if (url.protocol === "http:") {
    const { host, port } = proxy;
    const path = url.origin + url.pathname + url.search;
    return { host, port, path, headers: { ...headers, ...toProxyHeaders(proxy, url.host) } };
  }
  const servername = isIP(url.hostname) === 0 && !url.hostname.startsWith("[") ? url.hostname : "";
  return {
    headers,
    createConnection(_, done) {
      const tunnel = openTunnel(proxy, url, (error, socket) => {
        if (socket) done(null, connectTls({ ...tls, socket, servername }));
        // Node expects a stream only without an error.
        else done(error ?? null, undefined as never);
      });
      const abandon = (): void => {
        tunnel.destroy();
        // A request without a socket waits for one also when it is aborted.
        done(signal?.reason as Error, undefined as never);
      };
      signal?.addEventListener("abort", abandon, { once: true });
      return undefined;
    },
  };
}

/** Rejects for a name that this network resolves to an address that is not allowed. It may resolve none of other networks. */
function requireAllowed(hostname: string, lookup: LookupFunction): Promise<void> {
  return new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error) => {
      if (error && error.syscall !== "getaddrinfo") reject(error);
      else resolve();
    });
  });
}
