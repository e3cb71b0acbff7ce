// Receives the messages of a legacy server: responses settle our requests; requests and notifications reach the calls, tasks and
// subscriptions that they belong to.
import {
  errorCode,
  isInputRequestMethod,
  isNotification,
  isRequest,
  isRequestId,
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcRequest,
  notificationMethod,
  type RequestId,
} from "@lethe/protocol";
import { legacyMethod } from "@lethe/protocol/revisions";
import type { Requester } from "../call/requester.ts";
import { relayLog, relayProgress, relayUnknown } from "../call/round.ts";
import type { Calls } from "./calls.ts";
import type { Subscriptions } from "./subscriptions.ts";
import type { TaskInputRequests } from "./task-input-requests.ts";
import type { ToolFacts } from "./tool-facts.ts";

export interface Receivers {
  readonly calls: Calls;
  readonly taskInputRequests: TaskInputRequests;
  readonly subscriptions: Subscriptions;
  readonly tools: Pick<ToolFacts, "forget">;
}

export interface ServerMessagesOptions {
  /** Called with notifications that belong to no request and no subscription, mostly log messages. */
  onNotification?(notification: JsonRpcNotification): void;
}

export class ServerMessages {
  readonly #requester: Requester;
  readonly #options: ServerMessagesOptions;
  /** Undefined during the first handshake, which has no calls and no subscriptions. */
  #receivers: Receivers | undefined;

  constructor(requester: Requester, options: ServerMessagesOptions) {
    this.#requester = requester;
    this.#options = options;
  }

  deliverTo(receivers: Receivers): void {
    this.#receivers = receivers;
  }

  receive(message: JsonRpcMessage, origin?: RequestId): void {
    if (isRequest(message)) this.#receiveRequest(message, origin);
    else if (isNotification(message)) this.#receiveNotification(message, origin);
    else {
      this.#requester.settle(message);
      this.#receivers?.calls.answered(message.id);
    }
  }

  #receiveRequest(message: JsonRpcRequest, origin: RequestId | undefined): void {
    const { id, method: asked } = message;
    const requester = this.#requester;
    requester.echoState(message);
    if (asked === legacyMethod.ping) requester.respond(id, {});
    else if (this.#receivers && isInputRequestMethod(asked)) receiveInputRequest(this.#receivers, message, origin);
    else requester.refuse(id, { code: errorCode.methodNotFound, message: `no method ${asked}` });
  }

  #receiveNotification(message: JsonRpcNotification, origin: RequestId | undefined): void {
    const receivers = this.#receivers;
    if (!receivers || !deliver(message, receivers, origin)) this.#options.onNotification?.(message);
    if (message.method === notificationMethod.toolsChanged) receivers?.tools.forget();
  }
}

/** Delivers an elicitation, sampling or roots request. */
function receiveInputRequest(
  { calls, taskInputRequests }: Receivers,
  message: JsonRpcRequest,
  origin: RequestId | undefined,
): void {
  if (!taskInputRequests.receiveInputRequest(message, origin)) calls.receiveInputRequest(message, origin);
}

/** Returns false for a notification that no receiver could take. */
function deliver(
  notification: JsonRpcNotification,
  { calls, taskInputRequests, subscriptions }: Receivers,
  origin: RequestId | undefined,
): boolean {
  const { method: notified, params = {} } = notification;
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
      return subscriptions.relay(notified, params) || relayUnknown(calls.waiting(origin), notification);
  }
}
