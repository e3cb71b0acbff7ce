// Sends the trace of a request on to its upstream, where what happens is then a child of the gateway's own span (H-2).
import type { Middleware } from "@lethe/protocol";
import type { TelemetryOptions } from "@lethe/server/middleware";

/** Inside of `telemetry`, whose span is the active one. Without a propagator the caller's own trace goes on as it came. */
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
