// Delivers requests and notifications of a legacy server to the calls, tasks and subscriptions that they belong to.
import {
  isRequestId,
  type JsonRpcNotification,
  type JsonRpcRequest,
  notificationMethod,
  type RequestId,
} from "@lethe/protocol";
import { relayLog, relayProgress } from "../call/round.ts";
import type { Calls } from "./calls.ts";
import type { Subscriptions } from "./subscriptions.ts";
import type { TaskInputRequests } from "./task-input-requests.ts";

export interface Receivers {
  readonly calls: Calls;
  readonly taskInputRequests: TaskInputRequests;
  readonly subscriptions: Subscriptions;
}

/** Delivers an elicitation, sampling or roots request. */
export function receiveInputRequest(
  { calls, taskInputRequests }: Receivers,
  message: JsonRpcRequest,
  origin?: RequestId,
): void {
  if (!taskInputRequests.receive(message, origin)) calls.receive(message, origin);
}

/** Returns false for a notification that no receiver could take. */
export function deliver(
  { method: notified, params = {} }: JsonRpcNotification,
  { calls, taskInputRequests, subscriptions }: Receivers,
  origin?: RequestId,
): boolean {
  switch (notified) {
    case notificationMethod.progress: {
      const call = calls.running.get(params.progressToken);
      if (call?.round) relayProgress(call.round, params);
      return true;
    }
    case notificationMethod.message:
      return relayLog(calls.waiting(origin), params);
    case notificationMethod.cancelled:
      if (isRequestId(params.requestId)) {
        calls.withdraw(params.requestId);
        taskInputRequests.withdraw(params.requestId);
      }
      return true;
    default:
      return subscriptions.relay(notified, params);
  }
}
