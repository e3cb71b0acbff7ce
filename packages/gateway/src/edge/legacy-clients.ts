// Serves clients of older revisions at every endpoint (D.4). Each endpoint has one legacy edge, which survives reloads, because
// clients have streams and sessions there.
import { type Dispatch, type McpError, method, methodNotFound, overloaded } from "@lethe/protocol";
import { createLegacyEdge, type LegacyEdge } from "@lethe/server/edge";
import { createKeyRing, keysFromEnvironment, type LegacyOptions, type SealKey } from "@lethe/server/stores";
import { defaultLimits } from "../config/schema/defaults.ts";
import type { GatewaySettings } from "../config/schema/settings.ts";
import { gatewayInfo } from "../upstreams/connection/own-request.ts";
import { withTimeout } from "../upstreams/connection/with-timeout.ts";
import type { EdgeEndpoint } from "./endpoints/edge-endpoint.ts";

/**
 * The paths of HTTP+SSE below every endpoint, and at the root for the merged one (D-32). `/mcp/sse` may also be the endpoint
 * of an upstream named `sse`; then it serves both.
 */
const sse = { path: "/sse", messagesPath: "/sse/messages" };

export interface LegacyClientsOptions {
  /** The settings of the start. Their limits apply to every client. */
  settings: GatewaySettings;
  /** Keys that seal the sessions. Default: those of the environment. */
  keys: string | readonly SealKey[] | undefined;
  /** Returns the current Dispatch of an endpoint, or undefined if the endpoint is gone. */
  dispatchOf(endpoint: EdgeEndpoint): Dispatch | undefined;
  /** The stores of sessions that replicas share. */
  shared?: Pick<LegacyOptions, "clientMessages" | "events" | "relay" | "store"> | undefined;
  onError(error: unknown): void;
  onWarning(warning: string): void;
}

export type LegacyClients = (endpoint: EdgeEndpoint) => LegacyEdge | undefined;

/** A session gets as many requests as all of the gateway, because one session often carries a whole program. */
function toLegacyOptions({ settings, shared, onError, onWarning }: LegacyClientsOptions): LegacyOptions {
  const { legacy: sessions = "sealed", limits = {}, pendingCalls = {}, keepAliveMs } = settings;
  const { maxConcurrentRequests = defaultLimits.maxConcurrentRequests, requestTimeoutMs } = limits;
  return {
    ...shared,
    // The tool list of a modern upstream does not say which tools run only as tasks.
    awaitTasks: true,
    ...{ sessions, sse, onError, onWarning, maxRequestsPerSession: maxConcurrentRequests },
    ...(requestTimeoutMs !== undefined && { callTimeoutMs: requestTimeoutMs }),
    ...(keepAliveMs !== undefined && { streamAfterMs: keepAliveMs }),
    ...(pendingCalls.ttlMs !== undefined && { answerTimeoutMs: pendingCalls.ttlMs }),
  };
}

/** In ms */
const retryAfterMs = 2_000;

function stillStarting(): McpError {
  return overloaded("a server is still starting", retryAfterMs);
}

export function createLegacyClients(options: LegacyClientsOptions): LegacyClients {
  const { keys, dispatchOf } = options;
  const legacyOptions = toLegacyOptions(options);
  const { keepAliveMs } = options.settings;
  // The response to initialize has a header that is known last, so that it cannot start early.
  const maxSilenceMs = keepAliveMs === undefined ? undefined : 2 * keepAliveMs;
  const ring = createKeyRing(keys ?? keysFromEnvironment());
  const edges = new WeakMap<EdgeEndpoint, LegacyEdge>();
  return (endpoint) => {
    const known = edges.get(endpoint);
    if (known) return known;
    const dispatch: Dispatch = (request, exchange) => {
      const now = dispatchOf(endpoint);
      if (!now) return Promise.reject(methodNotFound(request.method));
      const running = now(request, exchange);
      return maxSilenceMs !== undefined && request.method === method.discover
        ? withTimeout(maxSilenceMs, running, stillStarting)
        : running;
    };
    const edge = createLegacyEdge({ dispatch, info: gatewayInfo, ring, takesNotifications: true }, legacyOptions);
    if (edge) edges.set(endpoint, edge);
    return edge;
  };
}

/** Returns the path of the endpoint to which an HTTP+SSE path belongs, or undefined for any other path. */
export function endpointPathOf(path: string, basePath: string): string | undefined {
  const suffix = [sse.messagesPath, sse.path].find((step) => path.endsWith(step));
  return suffix === undefined ? undefined : path.slice(0, -suffix.length) || basePath;
}

/**
 * Returns the path of the upstream named `sse` to which a messages path may belong: `/mcp/sse` for `/mcp/sse/messages`. If
 * that upstream exists, its endpoint opened the stream that announced the path. Undefined for any other path.
 */
export function namesakePathOf(path: string): string | undefined {
  return path.endsWith(sse.messagesPath) ? path.slice(0, sse.path.length - sse.messagesPath.length) : undefined;
}
