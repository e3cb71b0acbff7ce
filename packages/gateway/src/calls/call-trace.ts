// What is recorded of a request on its way through the gateway: the id that links the rounds of its call.
import { randomBytes } from "node:crypto";
import type { ModernRequest } from "@lethe/protocol";

export interface CallTrace {
  /** Set when the call requests input, and by the retry that answers it. It is not secret. */
  call?: string;
}

/** A request in this process. The edge sets the member, so that a client cannot. */
interface TracedRequest {
  trace?: CallTrace | undefined;
}

export function setTrace(request: ModernRequest & TracedRequest, trace: CallTrace | undefined): void {
  request.trace = trace;
}

/** Undefined for a request that the edge does not record, such as one of the gateway's own. */
function traceOf(request: Pick<ModernRequest, "method"> & TracedRequest): CallTrace | undefined {
  return request.trace;
}

export function callIdOf(request: Pick<ModernRequest, "method">): string | undefined {
  return traceOf(request)?.call;
}

/** Gives the call an id, unless an earlier round did. */
export function nameCall(request: ModernRequest): void {
  const trace = traceOf(request);
  if (trace) trace.call ??= randomBytes(6).toString("hex");
}

/** The request is a round of this call. */
export function joinCall(request: ModernRequest, call: string | undefined): void {
  const trace = traceOf(request);
  if (trace && call !== undefined) trace.call = call;
}
