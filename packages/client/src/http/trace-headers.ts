// The trace context of a request as HTTP headers, for proxies and servers that do not read `_meta` (H-3).
import { isJsonObject, traceContextOf } from "@lethe/protocol";

/** Longer values are left out, as W3C Baggage allows. */
const maxLength = 8_192;
const visible = /^[\x20-\x7e]+$/;

/** Adds `traceparent`, `tracestate` and `baggage` of `params._meta`. Values that a header cannot have are left out. */
export function addTraceHeaders(headers: Record<string, string>, params: unknown): void {
  const meta = isJsonObject(params) ? params._meta : undefined;
  if (!isJsonObject(meta) || (meta.traceparent === undefined && meta.baggage === undefined)) return;
  const trace = traceContextOf(meta);
  for (const [name, value] of Object.entries(trace)) {
    if (value.length <= maxLength && visible.test(value)) headers[name] = value;
  }
}
