// Serves on a port.

import type { Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { isLoopbackName } from "../http/guards.ts";
import { type HttpOptions, knownHttpOptions } from "../http/http-options.ts";
import { isServable, requireServable, type ServableTarget } from "../http/servable.ts";
import { servingDefaults } from "../http/serving-defaults.ts";
import { loadOf, type ServingLoad } from "../http/serving-load.ts";
import {
  type ConnectionLimits,
  knownConnectionLimits,
  limitConnections,
  toServerOptions,
} from "./connection-limits.ts";
import { toDirectRequest } from "./direct-body.ts";
import { IdleConnections } from "./idle-connections.ts";
import { createNodeEdge, toNodeHandler } from "./node-handler.ts";
import type { NodeEdge } from "./node-io.ts";
import { shutDown } from "./shut-down.ts";
import { StallDetector } from "./stall-detector.ts";
import type { ConnectionMoves } from "./workers/connection-moves.ts";
import { isWorker } from "./workers/is-worker.ts";

/** Options of `serve`. Every option has a default. */
export interface ServeOptions extends HttpOptions, ConnectionLimits {
  /** The port to listen on. 0 takes a free port. Default 3000. */
  port?: number;
  /** The address to listen on. Default 127.0.0.1, which only this machine can reach. With other addresses, any `Host` is allowed. */
  host?: string;
  /**
   * Serves by several processes that share the port: a number, or "auto" for one per core. Each runs this program, and this process only
   * starts them. Stores that are not passed to the server are shared between them. Default 1: this process serves.
   */
  workers?: number | "auto";
  /** Closes the server with the default grace period when aborted. */
  signal?: AbortSignal | undefined;
}

const knownServeOptions: KnownOptions<ServeOptions> = {
  ...knownHttpOptions,
  ...knownConnectionLimits,
  port: true,
  host: true,
  workers: true,
  signal: true,
};

/** A server that listens for HTTP requests. Call `close` to stop it. */
export interface Serving {
  /** The URL of the server, with the path if there is only one. */
  readonly url: string;
  /** The port on which the server listens. */
  readonly port: number;
  /** The number of open connections. */
  readonly connections: number;
  /** The requests and streams that are open. With workers: those of all workers, up to a second ago. */
  readonly load: ServingLoad;
  /**
   * Serves for another `delayMs` (default 0), and closes each connection after its next response, so that clients keep none for
   * reuse. Then stops listening, ends subscriptions, and waits up to `graceMs` (default 10,000) for running requests. It answers the
   * others with an error (`data.reason` is `lost`) and closes their connections. Resolves when no connection is left. A second call waits for the first.
   */
  close(options?: { graceMs?: number; delayMs?: number }): Promise<void>;
}

const knownCloseOptions: KnownOptions<NonNullable<Parameters<Serving["close"]>[0]>> = { graceMs: true, delayMs: true };

/**
 * Serves one server, at "/mcp" by default, or several by path, on port 3000 of 127.0.0.1 by default. Rejects with an Error if it
 * cannot listen on the port, with a TypeError if an entry of `trustProxy` is not an address, and with the reason of `signal` if that
 * is aborted first.
 *
 * @example
 * import { createServer } from "@lethe/server";
 * import { serve } from "@lethe/server/node";
 * import { connect } from "@lethe/client/node";
 *
 * const server = createServer({ name: "hello", version: "1.0.0" });
 * server.tool("greet", { handler: () => "Hello!" });
 *
 * const serving = await serve(server, { port: 0, requestTimeoutMs: 30_000 });
 * console.log(new URL(serving.url).pathname); // /mcp
 *
 * const client = await connect(serving.url);
 * console.log((await client.callTool("greet")).content); // [ { type: 'text', text: 'Hello!' } ]
 * await client.close();
 * await serving.close({ graceMs: 1_000 });
 */
export async function serve(target: ServableTarget, options: ServeOptions = {}): Promise<Serving> {
  checkOptions("serve", options, knownServeOptions);
  requireServable("serve", target);
  const { port = 3000, host = "127.0.0.1", workers, signal, ...httpOptions } = options;
  signal?.throwIfAborted();
  if (workers === undefined) return serveHere(target, options);
  if (isWorker()) return serveAsWorker(target, options);
  const { serveByWorkers, requireWorkerCount } = await import("./workers/serve-by-workers.ts");
  const count = requireWorkerCount(workers);
  if (count === 1) return serveHere(target, options);
  return serveByWorkers({
    ...{ count, signal, onError: httpOptions.onError ?? console.error },
    ...{ origin: `http://${toUrlHost(host)}`, path: pathOf(target, options) ?? "" },
  });
}

/** This process is one of several, and follows its parent. */
async function serveAsWorker(target: ServableTarget, options: ServeOptions): Promise<Serving> {
  const { followParent, reportFailure } = await import("./workers/serve-as-worker.ts");
  try {
    const serving = await serveHere(target, options);
    followParent(serving);
    return serving;
  } catch (error) {
    reportFailure(error);
    throw error;
  }
}

function pathOf(target: ServableTarget, { path }: ServeOptions): string | undefined {
  return isServable(target) ? (path ?? "/mcp") : path;
}

async function serveHere(target: ServableTarget, options: ServeOptions): Promise<Serving> {
  const { port = 3000, host = "127.0.0.1", workers: _workers, signal, ...httpOptions } = options;
  const { idleTimeoutMs = servingDefaults.idleTimeoutMs } = options;
  const path = pathOf(target, options);
  const allowedHosts = options.allowedHosts ?? (isLoopbackHost(host) ? undefined : "any");
  const settings = { ...httpOptions, path, ...(allowedHosts && { allowedHosts }) };
  const keepAlive = idleTimeoutMs > 0 ? `timeout=${Math.floor(idleTimeoutMs / 1_000)}` : undefined;
  const stalls = new StallDetector();
  const edge: NodeEdge = { ...createNodeEdge(target, settings), stalls, ownsServer: true, keepAlive };
  // Loaded on demand: a stdio server does not need it, and newer versions of Node take 45 ms to load it.
  const { createServer, IncomingMessage } = await import("node:http");
  const serverOptions = toServerOptions(options, edge.settings.bodyTimeoutMs);
  if (isNode()) serverOptions.IncomingMessage = toDirectRequest(IncomingMessage);
  const server = createServer(serverOptions, toNodeHandler(edge));
  limitConnections(server, options);
  const { sockets, track } = trackSockets(server);
  const listening = await listenHere(server, { port, host, sockets, track, idleTimeoutMs }).catch((error: unknown) => {
    edge.stalls?.close();
    throw error;
  });
  edge.moves = listening.moves;
  const busy = () => edge.clock.members.map(({ socket }) => socket);
  const idleConnections = idleTimeoutMs > 0 ? new IdleConnections({ sockets, busy, idleTimeoutMs }) : undefined;

  let closing: Promise<void> | undefined;
  const close: Serving["close"] = (closeOptions = {}) => {
    checkOptions("close", closeOptions, knownCloseOptions);
    const { graceMs = 10_000, delayMs = 0 } = closeOptions;
    signal?.removeEventListener("abort", onAbort);
    closing ??= shutDown({ server, edge, sockets, graceMs, delayMs, stop: listening.stop }).finally(() => {
      edge.stalls?.close();
      idleConnections?.close();
    });
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

  const { port: bound } = listening;
  return {
    url: `http://${toUrlHost(host)}:${bound}${path ?? ""}`,
    port: bound,
    get connections() {
      return sockets.size;
    },
    get load() {
      return loadOf(edge);
    },
    close,
  };
}

/** Bun and Deno have a node:http of their own, whose requests get their bodies in other ways. */
function isNode(): boolean {
  return !("bun" in process.versions || "deno" in process.versions);
}

interface Listening {
  readonly port: number;
  /** Undefined: the server stops itself. */
  readonly stop: ((done: () => void) => void) | undefined;
  /** Set in a worker. */
  readonly moves: ConnectionMoves | undefined;
}

interface ListenOptions {
  readonly port: number;
  readonly host: string;
  /** The open connections. */
  readonly sockets: ReadonlySet<Socket>;
  /** Adds one that the server does not have yet. */
  track(socket: Socket): void;
  readonly idleTimeoutMs: number;
}

/** In a worker, its parent listens, and gives it connections. */
async function listenHere(server: Server, options: ListenOptions): Promise<Listening> {
  const { port, host } = options;
  try {
    if (isWorker()) {
      const { listenInWorker } = await import("./workers/listen-in-worker.ts");
      return await listenInWorker(server, options);
    }
    await listen(server, port, host);
    return { port: (server.address() as AddressInfo).port, stop: undefined, moves: undefined };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === "EADDRINUSE" ? "the port is in use" : message;
    throw new Error(`cannot listen on port ${port} of ${host}: ${reason}`, { cause: error });
  }
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function trackSockets(server: Server): Pick<ListenOptions, "sockets" | "track"> {
  const sockets = new Set<Socket>();
  function onClose(this: Socket): void {
    sockets.delete(this);
  }
  const track = (socket: Socket): void => {
    if (sockets.has(socket)) return;
    sockets.add(socket);
    socket.on("close", onClose);
  };
  server.on("connection", track);
  return { sockets, track };
}

function isLoopbackHost(host: string): boolean {
  return isLoopbackName(host) || host === "::1" || host.startsWith("127.");
}

function toUrlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}
