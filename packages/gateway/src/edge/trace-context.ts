// Forwards the trace context to the upstream, so that its spans become children of the gateway's span (H-2).
import type { Middleware } from "@lethe/protocol";
import type { TelemetryOptions } from "@lethe/server/middleware";

/** Use it inside `telemetry`, whose span is active. Without a propagator, the caller's trace context is forwarded unchanged. */
export function propagateTrace(api: TelemetryOptions["api"]): Middleware {
  return (next) => (request, exchange) => {
    const trace: Record<string, string> = {};
    api.propagation.inject(api.context.active(), trace, traceSetter);
    const { params } = request;
    return next({ ...request, params: { ...params, _meta: { ...params._meta, ...trace } } }, exchange);
  };
}

const traceSetter = {
  set: (trace: Record<string, string>, key: string, value: string): void => {
    trace[key] = value;
  },
};
