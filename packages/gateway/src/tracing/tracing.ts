// The traces of a gateway. Without a telemetry API there is no Tracing, and requests cost nothing for it.
import { method } from "@lethe/protocol";
import { createInputWaits, type StartInputWait } from "./input-wait.ts";
import { createReplicaSpans, type ReplicaSpans } from "./replica-spans.ts";
import { parseLinkText, type TelemetryApi, toLinkText } from "./trace-link.ts";
import { createUpstreamSpans, type SendTraced } from "./upstream-spans.ts";

/** What operators see of a finished request. */
export interface DescribedRequest {
  readonly method: string;
  readonly endpoint: string;
  readonly upstream?: string;
  readonly caller?: string;
  readonly outcome: string;
  readonly reason?: string;
  readonly call?: string;
}

export interface Tracing {
  readonly api: TelemetryApi;
  /** Sends a request to an upstream in a span of its own. */
  readonly send: SendTraced;
  /** Starts the span of input requests that wait for the caller. */
  readonly startWait: StartInputWait;
  readonly replicas: ReplicaSpans;
  /** Describes the running span of a request that is about to end. */
  describe(request: DescribedRequest): void;
  /** Names the running span, for the state of a call. Undefined without a span. */
  current(): string | undefined;
  /** Links the running span to the span of an earlier round. */
  link(round: string): void;
}

/** The ids of the running span, for log entries. */
export interface SpanIds {
  readonly trace_id: string;
  readonly span_id: string;
}

const maxCallerLength = 256;

export function createTracing(api: TelemetryApi): Tracing {
  const running = () => api.trace.getSpan(api.context.active());
  return {
    api,
    send: createUpstreamSpans(api),
    startWait: createInputWaits(api),
    replicas: createReplicaSpans(api),
    describe({ method: requested, endpoint, upstream, caller, outcome, reason, call }) {
      // Subscriptions have no span.
      if (requested === method.listen) return;
      const span = running();
      span?.setAttributes({
        "lethe.endpoint": endpoint,
        "lethe.outcome": outcome,
        ...(upstream !== undefined && { "lethe.upstream.name": upstream }),
        ...(caller !== undefined && { "enduser.id": caller.slice(0, maxCallerLength) }),
        ...(reason !== undefined && { "lethe.reason": reason }),
        ...(call !== undefined && { "lethe.call.id": call }),
      });
    },
    current() {
      const context = currentOf(api);
      return context && toLinkText(context);
    },
    link(round) {
      const context = parseLinkText(round);
      if (context) running()?.addLink({ context });
    },
  };
}

/** Without a provider of traces, the API returns spans without ids. */
function currentOf(api: TelemetryApi): ReturnType<TelemetryApi["trace"]["getSpanContext"]> {
  const context = api.trace.getSpanContext(api.context.active());
  return context && /[^0]/.test(context.traceId) ? context : undefined;
}

/** Undefined outside of a span. */
export function spanIdsOf(api: TelemetryApi): SpanIds | undefined {
  const context = currentOf(api);
  return context && { trace_id: context.traceId, span_id: context.spanId };
}
