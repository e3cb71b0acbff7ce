// A client span and a duration for each request to an upstream, named as in OpenTelemetry's conventions for MCP.
import { type ModernRequest, method, type Result } from "@lethe/protocol";
import { describeRequest, durationBuckets, type RequestDescription } from "@lethe/server/edge";
import { type SpanOutcome, toErrorOutcome, toResultOutcome } from "./span-outcome.ts";
import { type TelemetryApi, withTraceContext } from "./trace-link.ts";

/** Where a request goes. */
export interface UpstreamRoute {
  readonly upstream: string;
  readonly kind: "http" | "stdio" | "openapi" | "memory";
  /** Undefined unless `kind` is "http". */
  readonly url: string | undefined;
  /** The id of the gateway's session with the upstream. Spans contain only its first characters, because the id is secret. */
  readonly session: string;
  /** The revision of the connection. Undefined while it is opening. */
  readonly revision: string | undefined;
  /** Whether the request continues a call that waits at the upstream. */
  readonly isResumed: boolean;
}

export type SendTraced = (
  request: ModernRequest,
  route: UpstreamRoute,
  send: (request: ModernRequest) => Promise<Result>,
) => Promise<Result>;

const clientKind = 2;
const errorStatus = 2;
const shownIdLength = 8;

export function createUpstreamSpans(api: TelemetryApi): SendTraced {
  const tracer = api.trace.getTracer("lethe/gateway");
  const duration = api.metrics.getMeter("lethe/gateway").createHistogram("mcp.client.operation.duration", {
    description: "how long requests to upstreams took",
    unit: "s",
    advice: { explicitBucketBoundaries: [...durationBuckets] },
  });

  return async (request, route, send) => {
    // A subscription lasts for hours.
    if (request.method === method.listen) return send(request);
    const startedAt = performance.now();
    const local = api.context.active();
    const description = describeRequest(request);
    const described = { kind: clientKind, attributes: toAttributes(description, route) } as const;
    const span = tracer.startSpan(description.spanName, described, local);
    const context = api.trace.setSpan(local, span);
    let outcome: SpanOutcome | undefined;
    try {
      const result = await api.context.with(context, () => send(withTraceContext(api, context, request)));
      outcome = toResultOutcome(result);
      return result;
    } catch (error) {
      outcome = toErrorOutcome(error);
      throw error;
    } finally {
      const { attributes = {}, reason } = outcome ?? {};
      if (attributes["error.type"] !== undefined) {
        span.setStatus({ code: errorStatus, ...(reason !== undefined && { message: reason }) });
        span.setAttributes({ ...attributes, ...(reason !== undefined && { "lethe.reason": reason }) });
      }
      span.end();
      const measured = { ...description.measured(attributes), "lethe.upstream.name": route.upstream };
      duration.record((performance.now() - startedAt) / 1_000, measured);
    }
  };
}

function toAttributes(
  { attributes: described }: RequestDescription,
  route: UpstreamRoute,
): Record<string, string | number | boolean> {
  // The connection gives the request another id.
  const { "jsonrpc.request.id": _, ...attributes } = described;
  return {
    ...attributes,
    ...toNetwork(route),
    "lethe.upstream.name": route.upstream,
    "mcp.session.id": route.session.slice(0, shownIdLength),
    ...(route.revision !== undefined && { "mcp.protocol.version": route.revision }),
    ...(route.isResumed && { "lethe.call.resumed": true }),
  };
}

function toNetwork({ kind, url }: UpstreamRoute): Record<string, string | number> {
  if (kind === "stdio") return { "network.transport": "pipe" };
  if (url === undefined) return {};
  const { hostname, port, protocol } = new URL(url);
  return {
    "network.transport": "tcp",
    "network.protocol.name": "http",
    "server.address": hostname,
    "server.port": port === "" ? (protocol === "https:" ? 443 : 80) : Number(port),
  };
}
