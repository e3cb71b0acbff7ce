// Spans of a request that one replica forwards to another: one where it is sent, one where it is received.
import type { ModernRequest, Result } from "@lethe/protocol";
import { toErrorOutcome } from "./span-outcome.ts";
import { metaGetter, type TelemetryApi, type TelemetryContext, withTraceContext } from "./trace-link.ts";

export interface ReplicaSpans {
  /** `replica` is the first characters of the id of the receiver. */
  forward(request: ModernRequest, replica: string, send: (request: ModernRequest) => Promise<Result>): Promise<Result>;
  receive(request: ModernRequest, answer: () => Promise<Result>): Promise<Result>;
}

const serverKind = 1;
const clientKind = 2;
const errorStatus = 2;

/** The spans have no attributes of MCP, so that a request counts once. */
export function createReplicaSpans(api: TelemetryApi): ReplicaSpans {
  const tracer = api.trace.getTracer("lethe/gateway");

  async function inSpan(
    name: string,
    { kind, attributes, parent }: { kind: 1 | 2; attributes: Record<string, string>; parent: TelemetryContext },
    run: (context: TelemetryContext) => Promise<Result>,
  ): Promise<Result> {
    const span = tracer.startSpan(name, { kind, attributes }, parent);
    const context = api.trace.setSpan(parent, span);
    try {
      return await api.context.with(context, () => run(context));
    } catch (error) {
      const { attributes: failed, reason } = toErrorOutcome(error);
      span.setAttributes(failed);
      span.setStatus({ code: errorStatus, ...(reason !== undefined && { message: reason }) });
      throw error;
    } finally {
      span.end();
    }
  }

  return {
    forward(request, replica, send) {
      const parent = api.context.active();
      const attributes = { "lethe.replica.id": replica };
      return inSpan("forward to replica", { kind: clientKind, attributes, parent }, (context) =>
        send(withTraceContext(api, context, request)),
      );
    },
    receive(request, answer) {
      const parent = api.propagation.extract(api.context.active(), request.params._meta, metaGetter);
      return inSpan("receive from replica", { kind: serverKind, attributes: {}, parent }, answer);
    },
  };
}
