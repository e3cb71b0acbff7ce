// Revision 2026-07-28 over a message wire (C-4 to C-6): forwards requests with ids and progress tokens of its own.
import {
  type Dispatch,
  type Exchange,
  isJsonObject,
  isMcpError,
  isNotification,
  isRequest,
  isRequestId,
  type JsonObject,
  type JsonRpcNotification,
  type JsonRpcResultResponse,
  type ModernRequest,
  metaKey,
  method,
  notificationMethod,
  OpenMap,
  protocolVersionOf,
  type RequestId,
  type RequestParams,
  type Result,
} from "@lethe/protocol";
import { isLaterRevision, type Revision } from "@lethe/protocol/revisions";
import { type ChangeRelay, createChangeRelay } from "../call/change-relay.ts";
import type { TimeLimits } from "../call/deadline.ts";
import type { MessageWire } from "../call/message-wire.ts";
import { OnlyConversation } from "../call/only-conversation.ts";
import { createOpenRequests } from "../call/open-requests.ts";
import { processResponse, toExpectation } from "../call/process-response.ts";
import { createRequester, type Requester, type RequesterOptions } from "../call/requester.ts";
import { openRound, type Round, relayOther, relayProgress } from "../call/round.ts";
import { TransportError } from "../call/transport-error.ts";
import { isUntagged, subscriptionTranslation } from "../http/subscription-id.ts";

export interface ModernStdioOptions extends RequesterOptions, Partial<TimeLimits> {
  /** The revision that the server speaks, unless it is the one of the model. */
  readonly revision?: Revision | undefined;
  /** Receives notifications that belong to no open request, mostly log messages. */
  onNotification?(notification: JsonRpcNotification): void;
}

export interface ModernStdio {
  readonly dispatch: Dispatch;
  close(): Promise<void>;
}

/** An open subscription on the wire. */
interface Listening {
  readonly round: Round;
  readonly ownId: RequestId;
  readonly changes: ChangeRelay;
}

/** Takes ownership of the wire. */
export function createModernStdio(wire: MessageWire, options: ModernStdioOptions = {}): ModernStdio {
  const { timeoutMs = 600_000, maxTotalMs = 3_600_000, revision } = options;
  const requester = createRequester(wire, options);
  const open = createOpenRequests(wire.peer, { timeoutMs, maxTotalMs });
  const rounds = new OpenMap<Round>();
  const listening = new Map<RequestId, Listening>();
  const conversation = new OnlyConversation();
  void wire.closed.then(requester.end);

  wire.onMessage = (message) => {
    if (isRequest(message)) return; // modern servers send no requests.
    if (isNotification(message)) hear(revision ? revision.fromServerNotification(message) : message);
    else requester.settle(message);
  };

  const dispatch: Dispatch = (request, exchange) => {
    try {
      return request.method === method.listen ? listen(request, exchange) : call(request, exchange);
    } catch (error) {
      return Promise.reject(error);
    }
  };

  function call(request: ModernRequest, exchange: Exchange): Promise<Result> {
    if (request.isNotification) return sendNotification(requester, request, revision);
    return begin(requester.mint(), request, exchange).result;
  }

  function listen(request: ModernRequest, exchange: Exchange): Promise<Result> {
    const id = requester.mint();
    const { toOwnExchange, toOwnResult } = subscriptionTranslation(id, request.id);
    const round = begin(id, request, toOwnExchange(exchange));
    listening.set(id, { round, ownId: request.id, changes: createChangeRelay(round.exchange) });
    return round.result.then(toOwnResult);
  }

  function begin(id: number, request: ModernRequest, exchange: Exchange): Round {
    const round = openRound(open, request, exchange, (reason) => {
      forget(id);
      requester.cancel(id, reason);
    });
    rounds.add(id, round);
    conversation.note(request, exchange);
    requester.request(id, request.method, toServerParams(request, id, revision)).then(
      (result) => end(id, toOutcome(request, { jsonrpc: "2.0", id, result: result as Result }, wire.peer, revision)),
      (error: Error) => end(id, toFailure(request, error, revision)),
    );
    return round;
  }

  function end(id: RequestId, outcome: Result | Error): void {
    const round = rounds.get(id);
    forget(id);
    round?.end(outcome);
  }

  function forget(id: RequestId): void {
    rounds.take(id);
    listening.delete(id);
  }

  function hear(notification: JsonRpcNotification): void {
    const { method: told, params = {} } = notification;
    const subscription = subscriptionOf(notification);
    if (subscription) relayChange(subscription.changes, notification);
    else if (told === notificationMethod.progress) relayProgressTo(rounds.get(params.progressToken), params);
    else if (told === notificationMethod.cancelled) endListening(params.requestId);
    else if (!relayOther(rounds.values, notification, conversation.isOnly)) options.onNotification?.(notification);
  }

  function subscriptionOf(notification: JsonRpcNotification): Listening | undefined {
    // I-12: without an id, it can only belong to the only open subscription.
    if (isUntagged(notification)) return listening.size === 1 ? listening.values().next().value : undefined;
    const id = subscriptionIdIn(notification);
    return isRequestId(id) ? listening.get(id) : undefined;
  }

  /** One of the ways in which a server ends a subscription. */
  function endListening(id: unknown): void {
    const subscription = isRequestId(id) ? listening.get(id) : undefined;
    if (!subscription) return;
    const { ownId } = subscription;
    end(id as RequestId, { resultType: "complete", _meta: { [metaKey.subscriptionId]: ownId } });
  }

  return {
    dispatch,
    async close() {
      for (const id of [...listening.keys()]) endListening(id);
      requester.end(new TransportError("closed", `the connection to ${wire.peer} was closed`));
      await wire.close();
    },
  };
}

/** A message of a later revision than ours is not converted. */
function spokenIn(request: ModernRequest, revision: Revision | undefined): Revision | undefined {
  return isLaterRevision(protocolVersionOf(request)) ? undefined : revision;
}

async function sendNotification(
  requester: Requester,
  request: ModernRequest,
  revision: Revision | undefined,
): Promise<Result> {
  const { method: name, params } = request;
  const spoken = spokenIn(request, revision);
  await requester.notify(name, spoken ? spoken.toServerParams(name, params) : params);
  return { resultType: "complete" };
}

function subscriptionIdIn({ params }: JsonRpcNotification): unknown {
  const meta = params?._meta;
  return isJsonObject(meta) ? meta[metaKey.subscriptionId] : undefined;
}

function toServerParams(
  request: ModernRequest,
  token: number,
  revision: Revision | undefined,
): RequestParams | JsonObject | undefined {
  const own = toWireParams(request.params, token);
  return spokenIn(request, revision)?.toServerParams(request.method, own) ?? own;
}

// J-55: the caller's token may equal that of another caller.
function toWireParams(params: RequestParams, token: number): RequestParams {
  if (params._meta.progressToken === undefined) return params;
  return { ...params, _meta: { ...params._meta, progressToken: token } };
}

function relayProgressTo(round: Round | undefined, params: JsonObject): void {
  if (round) relayProgress(round, params);
}

function relayChange(changes: ChangeRelay, notification: JsonRpcNotification): void {
  if (notification.method === notificationMethod.acknowledged) changes.open(notification);
  else changes.send(notification);
}

/** Returns the result in the form of the model, or the error if the response is invalid. */
function toOutcome(
  request: ModernRequest,
  response: JsonRpcResultResponse,
  server: string,
  revision: Revision | undefined,
): Result | Error {
  try {
    const result = processResponse(response, toExpectation(server, response.id, request));
    return spokenIn(request, revision)?.fromServerResult(request.method, result) ?? result;
  } catch (error) {
    return error as Error;
  }
}

function toFailure(request: ModernRequest, error: Error, revision: Revision | undefined): Error {
  const spoken = spokenIn(request, revision);
  return spoken && isMcpError(error) ? spoken.fromServerError(request.method, error, request.params) : error;
}
