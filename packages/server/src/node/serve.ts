// Listens on a port and serves: the shortest way from a server to a URL, with a graceful way back.
import type { Server } from "node:http";
import { type AddressInfo, Server as NetServer, type Socket } from "node:net";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { isLoopbackName } from "../http/guards.ts";
import type { HttpOptions } from "../http/http-options.ts";
import { isServable, type Servable, type ServableTarget } from "../http/servable.ts";
import { type ConnectionLimits, limitConnections, toServerOptions } from "./connection-limits.ts";
import { createNodeEdge, toNodeHandler } from "./node-handler.ts";
import type { NodeEdge } from "./node-io.ts";

export interface ServeOptions extends HttpOptions, ConnectionLimits {
  /** Default 3000; 0 takes a free one. */
  port?: number;
  /** Default 127.0.0.1: only this machine. Another one is meant to be reached, so that any `Host` is served (B-4). */
  host?: string;
  /** Closes with the default grace when aborted. */
  signal?: AbortSignal | undefined;
}

export interface Serving {
  /** With the path, when there is only one. */
  readonly url: string;
  readonly port: number;
  /** Connections that are open now. */
  readonly connections: number;
  /**
   * Stops listening, ends subscriptions, waits for what runs at most `graceMs` (10,000 by default), then cuts it off.
   * Before that it serves for another `delayMs` (0), and lets go of every connection with its next answer, so that those
   * who keep some for later have none left. Resolves when no connection is left; a second call waits for the first.
   */
  close(options?: { graceMs?: number; delayMs?: number }): Promise<void>;
}

/** How long a connection that seems idle may still bring a request that was on its way, in ms. */
const lingerMs = 50;

/** `path` is "/mcp" for a single server. Rejects when the port cannot be had. */
export async function serve(target: ServableTarget, options: ServeOptions = {}): Promise<Serving> {
  const { port = 3000, host = "127.0.0.1", signal, ...httpOptions } = options;
  signal?.throwIfAborted();
  const path = isServable(target) ? (options.path ?? "/mcp") : options.path;
  const allowedHosts = options.allowedHosts ?? (isLoopbackHost(host) ? undefined : "any");
  const edge = createNodeEdge(target, { ...httpOptions, path, ...(allowedHosts && { allowedHosts }) });
  // Late, because a server over stdio has no use for it, and newer Node takes 45 ms to load it.
  const { createServer } = await import("node:http");
  const server = createServer(toServerOptions(options, edge.settings.bodyTimeoutMs), toNodeHandler(edge));
  limitConnections(server, options);
  const sockets = trackSockets(server);
  await listen(server, port, host);

  let closing: Promise<void> | undefined;
  const close: Serving["close"] = ({ graceMs = 10_000, delayMs = 0 } = {}) => {
    signal?.removeEventListener("abort", onAbort);
    closing ??= shutDown({ server, edge, sockets, graceMs, delayMs });
    return closing;
  };
  const onAbort = (): void => {
    close().catch(httpOptions.onError ?? console.error);
  };
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted) {
    await close();
    throw signal.reason;
  }

  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://${toUrlHost(host)}:${bound}${path ?? ""}`,
    port: bound,
    get connections() {
      return sockets.size;
    },
    close,
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      const reason = error.code === "EADDRINUSE" ? "the port is in use" : error.message;
      reject(new Error(`cannot listen on port ${port} of ${host}: ${reason}`, { cause: error }));
    };
    server.once("error", onError);
    server.listen(port, host, () => {
      server.off("error", onError);
      resolve();
    });
  });
}

function trackSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  function onClose(this: Socket): void {
    sockets.delete(this);
  }
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", onClose);
  });
  return sockets;
}

interface Running {
  server: Server;
  edge: NodeEdge;
  sockets: ReadonlySet<Socket>;
  graceMs: number;
  delayMs: number;
}

async function shutDown({ server, edge, sockets, graceMs, delayMs }: Running): Promise<void> {
  edge.isClosing = true;
  if (delayMs > 0) await sleep(delayMs);
  await acceptWaiting(server);
  // Not the close of http.Server, which destroys connections whose last answer is still on its way.
  const closed = new Promise<void>((resolve) => {
    NetServer.prototype.close.call(server, () => resolve());
  });
  const deadline = setTimeout(() => {
    for (const io of [...edge.clock.members]) io.cutOff();
    server.closeAllConnections();
  }, graceMs);
  if (sockets.size > 0) await sleep(Math.min(lingerMs, graceMs / 2));
  const open = [...edge.clock.members];
  const busy = new Set(open.map((io) => io.socket));
  for (const socket of sockets) if (!busy.has(socket)) socket.destroySoon();
  for (const servable of new Set(open.map((io) => io.call.servable))) void endSubscriptions(servable, edge);
  await edge.clock.empty();
  for (const socket of sockets) socket.destroySoon();
  await closed;
  clearTimeout(deadline);
  server.close();
}

/** Connections that wait to be accepted would be reset; each turn takes as little as one of them. */
async function acceptWaiting(server: Server): Promise<void> {
  const until = Date.now() + lingerMs;
  let hasNew = true;
  const onConnection = (): void => {
    hasNew = true;
  };
  server.on("connection", onConnection);
  while (hasNew && Date.now() < until) {
    hasNew = false;
    await turn();
  }
  server.off("connection", onConnection);
}

/** Their streams are among the calls that are waited for, so that nobody waits here. */
async function endSubscriptions(servable: Servable | undefined, edge: NodeEdge): Promise<void> {
  try {
    await servable?.close?.();
  } catch (error) {
    edge.settings.onError(error);
  }
}

function isLoopbackHost(host: string): boolean {
  return isLoopbackName(host) || host === "::1" || host.startsWith("127.");
}

function toUrlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}
