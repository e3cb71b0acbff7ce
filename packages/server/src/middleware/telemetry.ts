// Records a span and a duration per request (section H), named as in OpenTelemetry's conventions for MCP.

import {
  checkOptions,
  type Dispatch,
  type Exchange,
  errorCode,
  type HeaderReader,
  isJsonObject,
  isMcpError,
  type KnownOptions,
  type Middleware,
  type ModernRequest,
  method,
  type RequestMeta,
  type Result,
} from "@lethe/protocol";
import { describeRequest, durationBuckets, toolError } from "./request-attributes.ts";
import type { SpanContext, TelemetryApi, TelemetryAttributes, TelemetryContext } from "./telemetry-api.ts";

/** Options of `telemetry` and `taskMetrics`. */
export interface TelemetryOptions {
  /** The module `@opentelemetry/api`, 1.9 or later: `import * as api from "@opentelemetry/api"`. */
  api: TelemetryApi;
}

export const knownTelemetryOptions: KnownOptions<TelemetryOptions> = { api: "an object" };

const scope = "@lethe/server";
const serverKind = 1;
const errorStatus = 2;
const maxReasonLength = 64;

/**
 * Records an OpenTelemetry span and a duration for each request. Subscriptions are not recorded, because they last for hours. Without
 * a registered provider the API does nothing.
 *
 * @example
 * import * as api from "@opentelemetry/api";
 * import { createServer } from "@lethe/server";
 * import { telemetry } from "@lethe/server/middleware";
 *
 * const server = createServer({ name: "hello", version: "1.0.0" });
 * server.use(telemetry({ api }));
 */
export function telemetry(options: TelemetryOptions): Middleware {
  checkOptions("telemetry", options, knownTelemetryOptions);
  const { api } = options;
  const tracer = api.trace.getTracer(scope);
  const meter = api.metrics.getMeter(scope);
  const duration = meter.createHistogram("mcp.server.operation.duration", {
    description: "how long requests took",
    unit: "s",
    advice: { explicitBucketBoundaries: [...durationBuckets] },
  });
  const active = meter.createUpDownCounter("mcp.server.active_requests", {
    description: "requests being answered right now",
    unit: "{request}",
  });

  async function observe(next: Dispatch, request: ModernRequest, exchange: Exchange): Promise<Result> {
    const startedAt = performance.now();
    const { context, links } = parentOf(api, request.params._meta, exchange.headers);
    const description = describeRequest(request);
    const attributes = { ...description.attributes, ...networkOf(exchange) };
    const span = tracer.startSpan(description.spanName, { kind: serverKind, attributes, links }, context);
    const outcome: TelemetryAttributes = {};
    let reason: string | undefined;
    active.add(1, {});
    try {
      const result = await api.context.with(api.trace.setSpan(context, span), () => next(request, exchange));
      if (result.isError === true) outcome["error.type"] = toolError;
      return result;
    } catch (error) {
      const code = String(isMcpError(error) ? error.code : errorCode.internalError);
      outcome["error.type"] = code;
      outcome["rpc.response.status_code"] = code;
      reason = reasonOf(error);
      if (error instanceof Error && !isMcpError(error)) span.recordException(error);
      throw error;
    } finally {
      if (outcome["error.type"]) {
        span.setStatus({ code: errorStatus, ...(reason !== undefined && { message: reason }) });
      }
      span.setAttributes(outcome);
      span.end();
      active.add(-1, {});
      duration.record((performance.now() - startedAt) / 1000, description.measured(outcome));
    }
  }

  return (next) => (request, exchange) =>
    request.method === method.listen ? next(request, exchange) : observe(next, request, exchange);
}

/** A value that is not a string counts as absent. */
const metaGetter = {
  keys: (meta: RequestMeta): string[] => Object.keys(meta),
  get: (meta: RequestMeta, key: string): string | undefined => {
    const value = Object.hasOwn(meta, key) ? meta[key] : undefined;
    return typeof value === "string" ? value : undefined;
  },
};

/** A program without instrumentation of HTTP has no span of the HTTP request, so its headers are read here. */
const headerGetter = {
  keys: (): string[] => ["traceparent", "tracestate", "baggage"],
  get: (headers: HeaderReader, key: string): string | undefined => headers(key),
};

// H-3
/** The parent in `_meta` wins over the one of the HTTP request, which is then linked. */
function parentOf(
  api: TelemetryApi,
  meta: RequestMeta,
  headers: HeaderReader | undefined,
): { context: TelemetryContext; links: { context: SpanContext }[] } {
  const local = api.context.active();
  if (meta.traceparent === undefined) {
    const isLocal = !headers || api.trace.getSpanContext(local) !== undefined;
    return { context: isLocal ? local : api.propagation.extract(local, headers, headerGetter), links: [] };
  }
  const hop = api.trace.getSpanContext(local);
  const context = api.propagation.extract(local, meta, metaGetter);
  const isReplaced = hop !== undefined && api.trace.getSpanContext(context)?.spanId !== hop.spanId;
  return { context, links: isReplaced ? [{ context: hop }] : [] };
}

/** Why the request failed, where the error says so in a word. Its message may repeat what the client sent. */
function reasonOf(error: unknown): string | undefined {
  const data = isMcpError(error) ? error.data : undefined;
  if (!isJsonObject(data) || typeof data.reason !== "string") return undefined;
  return data.reason.slice(0, maxReasonLength);
}

/** Only requests over HTTP have headers. */
function networkOf({ headers }: Exchange): TelemetryAttributes {
  return headers ? { "network.protocol.name": "http", "network.transport": "tcp" } : {};
}
