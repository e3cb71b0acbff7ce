// What is recorded of a request on its way through the gateway: the id that links the rounds of its call, and its steps while
// administrators look.
import { randomUUID } from "node:crypto";
import type { ModernRequest } from "@lethe/protocol";
import type { StepRecorder } from "./step-recorder.ts";

export interface CallTrace {
  /** Set when the call requests input, and by the retry that answers it. It is not secret. */
  call?: string;
  /** The later revision in which the request was relayed to its upstream. */
  revision?: string;
  /** Absent while no administrator watches. */
  steps?: StepRecorder | undefined;
}

/** A request in this process. The edge sets the member, so that a client cannot. */
interface TracedRequest {
  trace?: CallTrace | undefined;
}

type AnyRequest = Pick<ModernRequest, "method">;

export function setTrace(request: AnyRequest & TracedRequest, trace: CallTrace | undefined): void {
  request.trace = trace;
}

/** Undefined for a request that the edge does not record, such as one of the gateway's own. */
export function traceOf(request: AnyRequest & TracedRequest): CallTrace | undefined {
  return request.trace;
}

export function callIdOf(request: AnyRequest): string | undefined {
  return traceOf(request)?.call;
}

/** Gives the call an id, unless an earlier round did. */
export function nameCall(request: AnyRequest): void {
  const trace = traceOf(request);
  if (trace) trace.call ??= createCallId();
}

/** The request is a round of this call. */
export function joinCall(request: AnyRequest, call: string | undefined): void {
  const trace = traceOf(request);
  if (trace && call !== undefined) trace.call = call;
}

/** `revision` is one that the upstream offers: clients cannot invent it. */
export function noteRelayed(request: AnyRequest, revision: string): void {
  const trace = traceOf(request);
  if (trace) trace.revision = revision;
}

/** 48 random bits in hex. Unlike `randomBytes`, `randomUUID` does not ask for entropy each time, and each forwarded call gets an id. */
export function createCallId(): string {
  return randomUUID().slice(-12);
}
