// A server that begins with `initialize`, behind the core contract (D.5, D-51): one session, modern on this side.
import {
  type Dispatch,
  type Exchange,
  errorCode,
  isInputRequestMethod,
  isLogLevel,
  isNotification,
  isRequest,
  isRequestId,
  type JsonObject,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type ModernRequest,
  metaKey,
  method,
  notificationMethod,
  type RequestId,
  type Result,
} from "@lethe/protocol";
import { hasTaskTools, legacyMethod, revisionNamed, toDiscoverResult } from "@lethe/protocol/revisions";
import type { Connection } from "../call/connection.ts";
import type { TimeLimits } from "../call/deadline.ts";
import type { MessageWire } from "../call/message-wire.ts";
import { createOpenRequests } from "../call/open-requests.ts";
import { type PendingCallLimits, PendingCalls } from "../call/pending-calls.ts";
import { createRequester, type RequesterOptions } from "../call/requester.ts";
import { relayLog, relayProgress } from "../call/round.ts";
import { isTransportError, TransportError } from "../call/transport-error.ts";
import { type CallOptions, Calls } from "./calls.ts";
import { type HandshakeOptions, requireOffered } from "./handshake.ts";
import { type KeepAliveOptions, keepAlive } from "./keep-alive.ts";
import { createSessionLogLevel } from "./log-level.ts";
import { beginSession } from "./session.ts";
import { isSessionWire, SessionLostError } from "./session-wire.ts";
import { createSubscriptions, type SubscriptionOptions, type Subscriptions } from "./subscriptions.ts";
import { TaskAugmentation } from "./task-augmentation.ts";
import { TaskInputRequests } from "./task-input-requests.ts";
import { createToolFacts } from "./tool-facts.ts";

/**
 * Silence after which a request fails is 10 minutes by default; it does not run while its caller is asked. All rounds
 * have an hour each.
 */
export interface LegacyOptions
  extends HandshakeOptions,
    RequesterOptions,
    CallOptions,
    SubscriptionOptions,
    KeepAliveOptions,
    PendingCallLimits,
    Partial<TimeLimits> {
  /** A registry that several connections share. Default: one for this connection, with the limits of these options. */
  pendingCalls?: PendingCalls | undefined;
  /** Hears the notifications that belong to no running request and to no subscription: log messages above all. */
  onNotification?(notification: JsonRpcNotification): void;
}

/** A server that does not promise something in this time is taken not to, and nobody waits longer for it. */
const sideRequestMs = 5_000;

/**
 * Takes the wire over: reads it, and closes it with the connection. When it rejects, the wire is the caller's again.
 * Its log level is the most talkative that any request asked for.
 */
export async function connectLegacy(wire: MessageWire, options: LegacyOptions): Promise<Connection> {
  const { timeoutMs = 600_000, maxTotalMs = 3_600_000 } = options;
  const requester = createRequester(wire, options);
  void wire.closed.then(requester.end);
  let parts: Parts | undefined;

  wire.onMessage = (message, origin) => {
    if (isRequest(message)) answer(message, origin);
    else if (!isNotification(message)) {
      requester.settle(message);
      parts?.calls.answered(message.id);
    } else if (!parts || !isTaken(message, parts, origin)) options.onNotification?.(message);
    if (isNotification(message) && message.method === notificationMethod.toolsChanged) tools.forget();
  };

  function answer(message: JsonRpcRequest, origin?: RequestId): void {
    const { id, method: asked } = message;
    requester.echoState(message);
    if (asked === legacyMethod.ping) requester.respond(id, {});
    else if (parts && isInputRequestMethod(asked)) ask(parts, message, origin);
    else requester.refuse(id, { code: errorCode.methodNotFound, message: `no method ${asked}` });
  }

  const sideRequest = (name: string, params: JsonObject) => requester.requestWithin(sideRequestMs, name, params);
  const tools = createToolFacts(async (cursor) => {
    const page = await sideRequest(method.listTools, cursor === undefined ? {} : { cursor });
    return revision.fromServerResult(method.listTools, page);
  });

  const session = await beginSession(wire, {
    requester,
    tools,
    options,
    isNeeded: () => subscriptions.count > 0,
    async onRenewed() {
      parts?.calls.forgetCancelled();
      await Promise.all([logLevel.restore(), subscriptions.restore()]);
      subscriptions.announceAll();
    },
  });
  const revision = revisionNamed(session.handshake.protocolVersion);
  const server = toDiscoverResult(session.handshake);
  const logLevel = createSessionLogLevel((level) => sideRequest("logging/setLevel", { level }));
  const open = createOpenRequests(wire.peer, { timeoutMs, maxTotalMs });
  const { serverInfo } = session.handshake;
  const { pendingCalls = new PendingCalls(options) } = options;
  const calls = new Calls({
    ...options,
    ...{ requester, revision, open, pendingCalls, serverInfo, mend: session.mend, peer: wire.peer },
    showsOrigin: isSessionWire(wire),
    canAnswer: () => !isSessionWire(wire) || wire.isNamed,
  });
  const taskInputRequests = new TaskInputRequests({
    requester,
    revision,
    roots: options.roots,
    ttlMs: pendingCalls.ttlMs,
  });
  const tasks = new TaskAugmentation({
    peer: wire.peer,
    revision,
    calls,
    inputRequests: taskInputRequests,
    tools,
    serverInfo,
    isOffered: () => hasTaskTools(session.handshake.capabilities),
  });
  const subscriptions = createSubscriptions({
    ...options,
    open,
    capabilities: server.capabilities,
    send: (name, uri) => sideRequest(name, { uri }),
    meta: server._meta,
  });
  parts = { calls, taskInputRequests, subscriptions };
  void wire.closed.then((error) => {
    subscriptions.end(error);
    calls.endWaiting(error);
  });
  if (isSessionWire(wire)) {
    wire.onGap = subscriptions.announceAll;
    wire.onActivity = (id) => calls.running.get(id)?.round?.deadline.touch();
  }

  const serve = async (request: ModernRequest, exchange: Exchange): Promise<Result> => {
    if (request.method === method.discover) return server;
    if (session.isLost) await session.ensure();
    if (request.method === method.listen) return subscriptions.listen(request, exchange);
    if (tasks.isServed(request.method)) return tasks.answer(request, exchange);
    requireOffered(request.method, session.handshake);
    const level = request.params._meta[metaKey.logLevel];
    if (isLogLevel(level) && session.handshake.capabilities.logging) await logLevel.require(level);
    if (request.method === method.callTool) return tasks.call(request, exchange);
    const result = await calls.run(request, exchange);
    if (request.method === method.listTools) tools.learn(result);
    return result;
  };

  /** A call that has nothing to wait for, as most have, makes no promise on its way. */
  const dispatch: Dispatch = (request, exchange) => {
    if (request.method !== method.callTool || session.isLost) return serve(request, exchange);
    if (request.params._meta[metaKey.logLevel] !== undefined) return serve(request, exchange);
    try {
      requireOffered(request.method, session.handshake);
      return tasks.call(request, exchange);
    } catch (error) {
      return Promise.reject(error);
    }
  };

  let broken: TransportError | undefined;

  /** The process or the stream is there, and nobody behind it. */
  async function end(error: TransportError): Promise<void> {
    broken ??= error;
    subscriptions.end(broken.reason === "closed" ? undefined : broken);
    stopPinging();
    calls.close();
    taskInputRequests.closeAll();
    requester.end(broken);
    await wire.close();
  }

  const stopPinging = keepAlive({
    ...options,
    ping: (limitMs) => requester.requestWithin(limitMs, legacyMethod.ping, {}),
    onFailed(error) {
      if (error instanceof SessionLostError) session.renewAfter(error).catch(() => {});
      else if (isTransportError(error) && error.reason === "timeout") void end(error);
    },
  });
  void wire.closed.then(stopPinging);

  return {
    dispatch,
    era: "legacy",
    revision: revision.name,
    traits: revision.traits,
    isStateful: !isSessionWire(wire) || wire.isNamed,
    get isAsking() {
      return calls.isAsking;
    },
    pendingCalls,
    server,
    closed: wire.closed.then(({ message }) => ({ reason: broken?.message ?? message })),
    close: () => end(new TransportError("closed", `the connection to ${wire.peer} was closed`)),
  };
}

interface Parts {
  readonly calls: Calls;
  readonly taskInputRequests: TaskInputRequests;
  readonly subscriptions: Subscriptions;
}

function ask({ calls, taskInputRequests }: Parts, message: JsonRpcRequest, origin?: RequestId): void {
  if (!taskInputRequests.receive(message, origin)) calls.receive(message, origin);
}

/** True when somebody got the notification, or nobody may. */
function isTaken({ method: told, params = {} }: JsonRpcNotification, parts: Parts, origin?: RequestId): boolean {
  const { calls, taskInputRequests, subscriptions } = parts;
  switch (told) {
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
      return subscriptions.relay(told, params);
  }
}
