// Clients of older revisions at every endpoint (D.4): one edge for each, which outlives changes of the configuration, because
// clients have streams and sessions there.
import { type Dispatch, methodNotFound } from "@lethe/protocol";
import { createKeyRing, createLegacyEdge, keysFromEnvironment, type LegacyEdge, type SealKey } from "@lethe/server";
import type { LegacyMode } from "../config/gateway-settings.ts";
import { gatewayInfo } from "../upstream/own-request.ts";
import type { FrontEndpoint } from "./endpoint.ts";

/** Below every endpoint, and at the root for the merged one (D-32). No name of an upstream looks like the second. */
const sse = { path: "/sse", messagesPath: "/sse/messages" };

export interface LegacyFrontOptions {
  mode: LegacyMode | undefined;
  /** Seal the sessions. Default: those of the environment. */
  keys: string | readonly SealKey[] | undefined;
  /** What an endpoint does now; undefined when it is gone. */
  dispatchOf(endpoint: FrontEndpoint): Dispatch | undefined;
  onError(error: unknown): void;
}

export type LegacyFront = (endpoint: FrontEndpoint) => LegacyEdge | undefined;

export function createLegacyFront({ mode = "sealed", keys, dispatchOf, onError }: LegacyFrontOptions): LegacyFront {
  const ring = createKeyRing(keys ?? keysFromEnvironment());
  const edges = new WeakMap<FrontEndpoint, LegacyEdge>();
  return (endpoint) => {
    const known = edges.get(endpoint);
    if (known) return known;
    const dispatch: Dispatch = async (request, exchange) => {
      const now = dispatchOf(endpoint);
      if (!now) throw methodNotFound(request.method);
      return now(request, exchange);
    };
    const edge = createLegacyEdge({ dispatch, info: gatewayInfo, ring }, { sessions: mode, sse, onError });
    if (edge) edges.set(endpoint, edge);
    return edge;
  };
}

/** The path of the endpoint that a path of HTTP+SSE belongs to; undefined for any other path. */
export function endpointPathOf(path: string, basePath: string): string | undefined {
  const suffix = [sse.messagesPath, sse.path].find((step) => path.endsWith(step));
  return suffix === undefined ? undefined : path.slice(0, -suffix.length) || basePath;
}
