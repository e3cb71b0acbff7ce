// Steps of a request that another replica runs: it sends them as notifications, which never reach the caller.
import { type Exchange, isJsonObject, type JsonRpcNotification, type ModernRequest } from "@lethe/protocol";
import { createCallId, traceOf } from "./call-trace.ts";
import type { RecordedStep, StepRecorder } from "./step-recorder.ts";

const stepMethod = "lethe/step";

/** What the owner of the session learns about the trace. */
export interface ForwardedTrace {
  readonly call: string;
  readonly isWatched: boolean;
}

/** The owner may request input, so the call gets its id here. */
export function toForwardedTrace(request: ModernRequest): ForwardedTrace | undefined {
  const trace = traceOf(request);
  return trace && { call: trace.call ?? createCallId(), isWatched: trace.steps !== undefined };
}

/** Undefined for a request of a replica of an earlier build. */
export function readForwardedTrace(request: ModernRequest): ForwardedTrace | undefined {
  const trace: unknown = traceOf(request);
  if (!isJsonObject(trace) || typeof trace.call !== "string") return undefined;
  return { call: trace.call, isWatched: trace.isWatched === true };
}

export function toStepNotification(step: RecordedStep): JsonRpcNotification {
  return { jsonrpc: "2.0", method: stepMethod, params: { ...step } };
}

/** An exchange that records the steps among the notifications and passes on the others. */
export function recordingSteps(exchange: Exchange, steps: StepRecorder): Exchange {
  const notify = (notification: JsonRpcNotification): boolean => {
    if (notification.method !== stepMethod) return exchange.notify(notification);
    steps.addRecorded(notification.params as unknown as RecordedStep);
    return true;
  };
  return new Proxy(exchange, {
    get(target, name) {
      if (name === "notify") return notify;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
