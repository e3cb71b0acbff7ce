// The local HTTP listener that receives the redirect of an authorization server (RFC 8252 section 7.3). Any web page in the
// user's browser and any program on this machine can reach it, so it answers every request and trusts none of them.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { AuthorizationError } from "../auth/authorization-error.ts";

export interface LoopbackListener {
  /** The URL that the authorization server redirects to. */
  readonly url: URL;
  /** Resolves with the first request for `url` that contains `state`. All others are rejected and ignored. */
  receive(state: string): Promise<URL>;
  /** Closes all connections. A pending `receive` rejects with `error`. */
  close(error?: unknown): void;
  /** Keeps the process alive while waiting for a user. */
  ref(): void;
}

export interface LoopbackListenerOptions {
  /** 0 selects any free port. */
  port: number;
  path: string;
}

// A browser opens about six connections to a host. A new connection above the limit closes the oldest one.
const maxConnections = 32;
/** Time limit for a connection to send its request, in ms. */
const requestTimeoutMs = 10_000;

export async function startLoopbackListener({ port, path }: LoopbackListenerOptions): Promise<LoopbackListener> {
  let take: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => answer(response, 404);
  const server = createServer(
    { headersTimeout: requestTimeoutMs, requestTimeout: requestTimeoutMs, connectionsCheckingInterval: 1000 },
    (request, response) => take(request, response),
  );
  limitConnections(server);
  await listenOn(server, port);
  // An idle listener must not keep the process alive.
  server.unref();
  const { port: taken } = server.address() as AddressInfo;
  const url = new URL(`http://127.0.0.1:${taken}${path}`);
  const hosts = [`127.0.0.1:${taken}`, `localhost:${taken}`];
  let fail: (error: unknown) => void = () => {};

  return {
    url,
    ref: () => void server.ref(),
    receive: (state) =>
      new Promise((resolve, reject) => {
        fail = reject;
        take = (request, response) => {
          const status = statusOf(request, { url, hosts, state });
          // The listener closes all connections next, so the page must be sent first.
          if (status === 200) response.once("close", () => resolve(toCallback(request, url)));
          answer(response, status);
        };
      }),
    close(error) {
      server.close();
      server.closeAllConnections();
      fail(error);
    },
  };
}

interface Expected {
  readonly url: URL;
  readonly hosts: readonly string[];
  readonly state: string;
}

// Parses the request target as text: `//`, `*` and others that clients may send are not URLs.
function statusOf(request: IncomingMessage, { url, hosts, state }: Expected): Status {
  const { method, headers, url: target = "" } = request;
  // A page that resolves its own host name to 127.0.0.1 (DNS rebinding) still sends that name.
  if (!hosts.includes((headers.host ?? "").toLowerCase())) return 403;
  if (!target.startsWith("/")) return 400;
  if (target.split("?", 1)[0] !== url.pathname) return 404;
  if (method !== "GET") return 405;
  const states = toCallback(request, url).searchParams.getAll("state");
  return states.length === 1 && states[0] === state ? 200 : 400;
}

function toCallback({ url: target = "" }: IncomingMessage, url: URL): URL {
  const callback = new URL(url);
  const start = target.indexOf("?");
  callback.search = start === -1 ? "" : target.slice(start);
  return callback;
}

function limitConnections(server: Server): void {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    const [oldest] = sockets;
    if (sockets.size > maxConnections) oldest?.destroy();
  });
}

function listenOn(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => {
      const message = `cannot listen on port ${port} for the redirect of the authorization server: ${cause.message}; choose another port`;
      reject(new AuthorizationError("failed", message, { cause }));
    });
    server.listen(port, "127.0.0.1", resolve);
  });
}

const pages = {
  200: "Thank you. You can close this page and go back to your program.",
  400: "This is not the redirect that the program waits for.",
  403: "This host name is not served here.",
  404: "There is nothing here.",
  405: "Only GET is supported here.",
} as const;

type Status = keyof typeof pages;

/** Never repeats any part of the request. */
function answer(response: ServerResponse, status: Status): void {
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "content-security-policy": "default-src 'none'",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    connection: "close",
    ...(status === 405 && { allow: "GET" }),
  });
  response.end(pages[status]);
}
