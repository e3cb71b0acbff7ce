// Records a span and a duration per request (section H), named as in OpenTelemetry's conventions for MCP.

import {
  checkOptions,
  type Dispatch,
  type Exchange,
  errorCode,
  isMcpError,
  type KnownOptions,
  type Middleware,
  type ModernRequest,
  method,
  protocolVersionOf,
  type RequestMeta,
  type Result,
} from "@lethe/protocol";
import { idLabelOf, methodLabelOf, targetLabelOf } from "./request-label.ts";
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
const buckets = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

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
    advice: { explicitBucketBoundaries: buckets },
  });
  const active = meter.createUpDownCounter("mcp.server.active_requests", {
    description: "requests being answered right now",
    unit: "{request}",
  });

  async function observe(next: Dispatch, request: ModernRequest, exchange: Exchange): Promise<Result> {
    const startedAt = performance.now();
    const { context, links } = parentOf(api, request.params._meta);
    const attributes = attributesOf(request);
    const span = tracer.startSpan(spanNameOf(request), { kind: serverKind, attributes, links }, context);
    const outcome: TelemetryAttributes = {};
    active.add(1, {});
    try {
      const result = await api.context.with(api.trace.setSpan(context, span), () => next(request, exchange));
      if (result.isError === true) outcome["error.type"] = "tool_error";
      return result;
    } catch (error) {
      const code = String(isMcpError(error) ? error.code : errorCode.internalError);
      outcome["error.type"] = code;
      outcome["rpc.response.status_code"] = code;
      if (error instanceof Error && !isMcpError(error)) span.recordException(error);
      throw error;
    } finally {
      if (outcome["error.type"]) span.setStatus({ code: errorStatus });
      span.setAttributes(outcome);
      span.end();
      active.add(-1, {});
      duration.record((performance.now() - startedAt) / 1000, measuredOf(request, outcome));
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

/** The parent in `_meta` wins over the one of the HTTP request, which is then linked. */
function parentOf(
  api: TelemetryApi,
  meta: RequestMeta,
): { context: TelemetryContext; links: { context: SpanContext }[] } {
  const local = api.context.active();
  if (meta.traceparent === undefined) return { context: local, links: [] };
  const hop = api.trace.getSpanContext(local);
  const context = api.propagation.extract(local, meta, metaGetter);
  const isReplaced = hop !== undefined && api.trace.getSpanContext(context)?.spanId !== hop.spanId;
  return { context, links: isReplaced ? [{ context: hop }] : [] };
}

function spanNameOf(request: ModernRequest): string {
  const target = request.method === method.readResource ? undefined : targetLabelOf(request);
  return target === undefined ? methodLabelOf(request) : `${methodLabelOf(request)} ${target}`;
}

function attributesOf(request: ModernRequest): TelemetryAttributes {
  const attributes: TelemetryAttributes = {
    "mcp.method.name": methodLabelOf(request),
    "mcp.protocol.version": protocolVersionOf(request),
    "jsonrpc.request.id": idLabelOf(request),
  };
  const target = targetLabelOf(request);
  const key = targetKeys.get(request.method);
  if (target !== undefined && key !== undefined) attributes[key] = target;
  return attributes;
}

const targetKeys: ReadonlyMap<string, string> = new Map([
  [method.callTool, "gen_ai.tool.name"],
  [method.getPrompt, "gen_ai.prompt.name"],
  [method.readResource, "mcp.resource.uri"],
]);

/** A metric keeps all values of its attributes, so it uses none that a client can invent. */
function measuredOf(request: ModernRequest, outcome: TelemetryAttributes): TelemetryAttributes {
  const code = outcome["rpc.response.status_code"];
  const isUnknownMethod = code === String(errorCode.methodNotFound);
  const measured: TelemetryAttributes = { ...outcome, "mcp.method.name": isUnknownMethod ? "_OTHER" : request.method };
  const target = request.method === method.readResource ? undefined : targetLabelOf(request);
  const key = targetKeys.get(request.method);
  if (target !== undefined && key !== undefined && code === undefined) measured[key] = target;
  return measured;
}
