// Clients of older revisions at every endpoint (D.4): one edge for each, which outlives changes of the configuration, because
// clients have streams and sessions there.
import { type Dispatch, methodNotFound } from "@lethe/protocol";
import { createLegacyEdge, type LegacyEdge } from "@lethe/server/edge";
import { createKeyRing, keysFromEnvironment, type LegacyOptions, type SealKey } from "@lethe/server/stores";
import { defaultLimits, type GatewaySettings } from "../config/gateway-settings.ts";
import { gatewayInfo } from "../upstreams/connection/own-request.ts";
import type { EdgeEndpoint } from "./edge-endpoint.ts";

/**
 * Below every endpoint, and at the root for the merged one (D-32). Below `/mcp` the first may be the name of an upstream, which
 * then has both.
 */
const sse = { path: "/sse", messagesPath: "/sse/messages" };

export interface LegacyClientsOptions {
  /** Of the start: its bounds are those of every client. */
  settings: GatewaySettings;
  /** Seal the sessions. Default: those of the environment. */
  keys: string | readonly SealKey[] | undefined;
  /** What an endpoint does now; undefined when it is gone. */
  dispatchOf(endpoint: EdgeEndpoint): Dispatch | undefined;
  /** Where sessions are shared with other replicas. */
  shared?: Pick<LegacyOptions, "answers" | "events" | "relay" | "store"> | undefined;
  onError(error: unknown): void;
  onWarning(warning: string): void;
}

export type LegacyClients = (endpoint: EdgeEndpoint) => LegacyEdge | undefined;

/** No less than a client of today may have: one session is often all of a program. */
function toLegacyOptions({ settings, shared, onError, onWarning }: LegacyClientsOptions): LegacyOptions {
  const { legacy: sessions = "sealed", limits = {}, pendingCalls = {} } = settings;
  const { maxConcurrentRequests = defaultLimits.maxConcurrentRequests, requestTimeoutMs } = limits;
  return {
    ...shared,
    // Which tools of a modern upstream run only as tasks, its list does not say.
    awaitTasks: true,
    ...{ sessions, sse, onError, onWarning, maxRequestsPerSession: maxConcurrentRequests },
    ...(requestTimeoutMs !== undefined && { callTimeoutMs: requestTimeoutMs }),
    ...(pendingCalls.ttlMs !== undefined && { answerTimeoutMs: pendingCalls.ttlMs }),
  };
}

export function createLegacyClients(options: LegacyClientsOptions): LegacyClients {
  const { keys, dispatchOf } = options;
  const legacyOptions = toLegacyOptions(options);
  const ring = createKeyRing(keys ?? keysFromEnvironment());
  const edges = new WeakMap<EdgeEndpoint, LegacyEdge>();
  return (endpoint) => {
    const known = edges.get(endpoint);
    if (known) return known;
    const dispatch: Dispatch = (request, exchange) => {
      const now = dispatchOf(endpoint);
      return now ? now(request, exchange) : Promise.reject(methodNotFound(request.method));
    };
    const edge = createLegacyEdge({ dispatch, info: gatewayInfo, ring }, legacyOptions);
    if (edge) edges.set(endpoint, edge);
    return edge;
  };
}

/** The path of the endpoint that a path of HTTP+SSE belongs to; undefined for any other path. */
export function endpointPathOf(path: string, basePath: string): string | undefined {
  const suffix = [sse.messagesPath, sse.path].find((step) => path.endsWith(step));
  return suffix === undefined ? undefined : path.slice(0, -suffix.length) || basePath;
}

/**
 * The path of the upstream named `sse` that a messages path may belong to: `/mcp/sse` of `/mcp/sse/messages`. If there is such
 * an upstream, the stream that announced the messages path was opened at its endpoint. Undefined for any other path.
 */
export function namesakePathOf(path: string): string | undefined {
  return path.endsWith(sse.messagesPath) ? path.slice(0, sse.path.length - sse.messagesPath.length) : undefined;
}
