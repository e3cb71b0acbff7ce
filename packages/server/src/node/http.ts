// The handler for node:http, and for every framework that hands out its requests and responses.
import type { IncomingMessage, ServerResponse } from "node:http";
import { createHttpEdge } from "../http/edge.ts";
import type { HttpOptions } from "../http/http-options.ts";
import type { ServableTarget } from "../http/servable.ts";
import { createTrustedProxies } from "./client-address.ts";
import { createClock, toTickMs } from "./clock.ts";
import { NodeCall, type NodeEdge } from "./node-call.ts";

/**
 * Answers every request that it gets; nothing is passed on. `parsedBody` is for a framework that has read the body and
 * does not leave it in `request.body`: `handler(request.raw, reply.raw, request.body)` in Fastify. A function in its
 * place, as Express passes, is ignored.
 */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse, parsedBody?: unknown) => void;

/** Over a loopback connection only loopback names pass as `Host`, unless `allowedHosts` names others (B-3). */
export function createNodeHandler(target: ServableTarget, options: HttpOptions = {}): NodeHandler {
  return toNodeHandler(createNodeEdge(target, options));
}

export function createNodeEdge(target: ServableTarget, options: HttpOptions): NodeEdge {
  const edge = createHttpEdge(target, options, () => clock.now);
  const { bodyTimeoutMs, keepAliveMs, requestTimeoutMs, trustProxy } = edge.settings;
  const clock: NodeEdge["clock"] = createClock(toTickMs([bodyTimeoutMs, keepAliveMs, requestTimeoutMs]));
  return {
    ...edge,
    clock,
    trustedProxies: trustProxy.length > 0 ? createTrustedProxies(trustProxy) : undefined,
    isClosing: false,
  };
}

export function toNodeHandler(edge: NodeEdge): NodeHandler {
  return (request, response, parsedBody) => {
    new NodeCall(edge, request, response).begin(typeof parsedBody === "function" ? undefined : parsedBody);
  };
}
