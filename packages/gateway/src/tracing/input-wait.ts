// The span of an input request while the gateway waits for the answer of the caller: from the request of the upstream until a later
// round of the call brings the answer.
import type { InputRequests } from "@lethe/protocol";
import type { TelemetryApi } from "./trace-link.ts";

export interface InputWait {
  /** A round brought the answers. Links to the span of that round. */
  answered(): void;
  /** Ends the span. Without `answered`, the call was cancelled, has expired or lost its session. */
  end(): void;
}

export type StartInputWait = (upstream: string, inputRequests: InputRequests) => InputWait;

/** The gateway is the receiver of the input request. */
const serverKind = 1;
const errorStatus = 2;

export function createInputWaits(api: TelemetryApi): StartInputWait {
  const tracer = api.trace.getTracer("lethe/gateway");
  return (upstream, inputRequests) => {
    const methods = [...new Set(Object.values(inputRequests).map(({ method }) => method))];
    const [first = "elicitation/create"] = methods;
    const name = methods.length === 1 ? first : "input requests";
    const attributes = { "mcp.method.name": first, "lethe.upstream.name": upstream };
    const span = tracer.startSpan(name, { kind: serverKind, attributes }, api.context.active());
    let isAnswered = false;
    return {
      answered() {
        isAnswered = true;
        const round = api.trace.getSpanContext(api.context.active());
        if (round) span.addLink({ context: round });
      },
      end() {
        if (!isAnswered) {
          span.setAttributes({ "error.type": "abandoned" });
          span.setStatus({ code: errorStatus, message: "abandoned" });
        }
        span.end();
      },
    };
  };
}
