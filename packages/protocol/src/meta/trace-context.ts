// Trace context of a request (H): W3C Trace Context and Baggage, in unprefixed members of `_meta`.

/** W3C Trace Context and Baggage of a request. */
export interface TraceContext {
  readonly traceparent?: string;
  readonly tracestate?: string;
  readonly baggage?: string;
}

/** The members of `_meta` that this module reads, unchecked. */
type TraceMembers = { readonly [Member in keyof TraceContext]?: unknown };

const traceparentText = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?$/;

// H-2
/** The trace context in the `_meta` of a request. A malformed value counts as absent; `tracestate` needs a `traceparent`. */
export function traceContextOf({ traceparent, tracestate, baggage }: TraceMembers): TraceContext {
  const trace: { -readonly [Member in keyof TraceContext]: string } = {};
  if (typeof traceparent === "string" && traceparentText.test(traceparent)) {
    trace.traceparent = traceparent;
    if (typeof tracestate === "string") trace.tracestate = tracestate;
  }
  if (typeof baggage === "string") trace.baggage = baggage;
  return trace;
}
