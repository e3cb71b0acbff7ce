// The handler for node:http, and for every framework that exposes the requests and responses of node:http.

import type { IncomingMessage, ServerResponse } from "node:http";
import { checkOptions } from "@lethe/protocol";
import { checkRequest } from "../http/check-request.ts";
import { createHttpEdge } from "../http/http-edge.ts";
import { type HttpOptions, knownHttpOptions } from "../http/http-options.ts";
import { requireServable, type ServableTarget } from "../http/servable.ts";
import { createTrustedProxies } from "./client-address.ts";
import { createClock, toTickMs } from "./clock.ts";
import { type NodeEdge, NodeIo } from "./node-io.ts";

/**
 * Answers every request; it never calls a next handler. `parsedBody` is for a framework that has read the body and does not
 * leave it in `request.body`: `handler(request.raw, reply.raw, request.body)` in Fastify. A function in its place, such as
 * the `next` of Express, is ignored.
 */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse, parsedBody?: unknown) => void;

/**
 * Serves one server, or several by path, as a listener for node:http. On a loopback connection only loopback names pass as
 * `Host`, unless `allowedHosts` names others. Throws a TypeError if an entry of `trustProxy` is not an address. The options state
 * their own defaults; every limit is on by default.
 *
 * @example
 * import { createServer as createHttpServer } from "node:http";
 * import { createServer } from "@lethe/server";
 * import { createNodeHandler } from "@lethe/server/node";
 *
 * const server = createServer({ name: "hello", version: "1.0.0" });
 * const handler = createNodeHandler(server, { path: "/mcp", maxBodyBytes: 64 * 1024 });
 *
 * const http = createHttpServer(handler);
 * await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
 * const { port } = http.address() as { port: number };
 * const response = await fetch(`http://127.0.0.1:${port}/other`, { method: "POST" });
 * console.log(response.status); // 404
 * http.closeAllConnections();
 * http.close();
 */
export function createNodeHandler(target: ServableTarget, options: HttpOptions = {}): NodeHandler {
  checkOptions("createNodeHandler", options, knownHttpOptions);
  requireServable("createNodeHandler", target);
  return toNodeHandler(createNodeEdge(target, options));
}

export function createNodeEdge(target: ServableTarget, options: HttpOptions): NodeEdge {
  const edge = createHttpEdge(target, options, () => clock.now);
  const { bodyTimeoutMs, keepAliveMs, startAfterMs, requestTimeoutMs, trustProxy } = edge.settings;
  const clock: NodeEdge["clock"] = createClock(toTickMs([bodyTimeoutMs, keepAliveMs, startAfterMs, requestTimeoutMs]));
  return {
    ...edge,
    clock,
    trustedProxies: trustProxy.length > 0 ? createTrustedProxies(trustProxy) : undefined,
    stalls: undefined,
    ownsServer: false,
    isClosing: false,
    keepAlive: undefined,
    moves: undefined,
  };
}

export function toNodeHandler(edge: NodeEdge): NodeHandler {
  return (request, response, parsedBody) => {
    const io = new NodeIo(edge, request, response, typeof parsedBody === "function" ? undefined : parsedBody);
    edge.clock.add(io);
    edge.moves?.received(request.socket, response);
    checkRequest(io.call, isLoopbackAddress(request.socket.localAddress) ? edge.loopbackGuard : edge.guard);
  };
}

function isLoopbackAddress(address: string | undefined): boolean {
  if (address === undefined) return false;
  return address.startsWith("127.") || address === "::1" || address.startsWith("::ffff:127.");
}
