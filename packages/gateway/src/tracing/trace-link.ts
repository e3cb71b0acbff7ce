// Spans of this process by name, so that another request can link to them, and trace context in `_meta` of requests.
import type { ModernRequest } from "@lethe/protocol";
import type { TelemetryOptions } from "@lethe/server/middleware";

export type TelemetryApi = TelemetryOptions["api"];
export type TelemetryContext = ReturnType<TelemetryApi["context"]["active"]>;

type SpanContext = NonNullable<ReturnType<TelemetryApi["trace"]["getSpanContext"]>>;

const linkText = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** The format of the header `traceparent`. */
export function toLinkText({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

/** Undefined for any other text. */
export function parseLinkText(text: string): SpanContext | undefined {
  const [, traceId, spanId, flags] = linkText.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
}

// H-4
/** A copy of the request whose receiver continues the trace. */
export function withTraceContext(api: TelemetryApi, context: TelemetryContext, request: ModernRequest): ModernRequest {
  const { params } = request;
  const _meta = { ...params._meta };
  api.propagation.inject(context, _meta, metaSetter);
  return { ...request, params: { ...params, _meta } };
}

const metaSetter = {
  set(meta: Record<string, unknown>, key: string, value: string): void {
    meta[key] = value;
  },
};

export const metaGetter = {
  keys: (meta: Record<string, unknown>): string[] => Object.keys(meta),
  get(meta: Record<string, unknown>, key: string): string | undefined {
    const value = Object.hasOwn(meta, key) ? meta[key] : undefined;
    return typeof value === "string" ? value : undefined;
  },
};
