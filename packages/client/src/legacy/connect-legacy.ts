// Connects to a server that begins with `initialize`: one session, behind the core contract.
import {
  errorCode,
  isInputRequestMethod,
  isNotification,
  isRequest,
  type JsonObject,
  type JsonRpcNotification,
  type JsonRpcRequest,
  method,
  notificationMethod,
  type RequestId,
} from "@lethe/protocol";
import { hasTaskTools, legacyMethod, revisionNamed, toDiscoverResult } from "@lethe/protocol/revisions";
import type { Connection } from "../call/connection.ts";
import type { TimeLimits } from "../call/deadline.ts";
import type { MessageWire } from "../call/message-wire.ts";
import { createOpenRequests } from "../call/open-requests.ts";
import { type PendingCallLimits, PendingCalls } from "../call/pending-calls.ts";
import { createRequester, type RequesterOptions } from "../call/requester.ts";
import { isTransportError, TransportError } from "../call/transport-error.ts";
import { type CallOptions, Calls } from "./calls.ts";
import type { HandshakeOptions } from "./handshake.ts";
import { type KeepAliveOptions, keepAlive } from "./keep-alive.ts";
import { createLegacyDispatch } from "./legacy-dispatch.ts";
import { createSessionLogLevel } from "./log-level.ts";
import { deliver, type Receivers, receiveInputRequest } from "./server-messages.ts";
import { beginSession } from "./session.ts";
import { isSessionWire, SessionLostError } from "./session-wire.ts";
import { createSubscriptions, type SubscriptionOptions } from "./subscriptions.ts";
import { TaskAugmentation } from "./task-augmentation.ts";
import { TaskInputRequests } from "./task-input-requests.ts";
import { createToolFacts } from "./tool-facts.ts";

/**
 * A request without a response or progress fails after 10 minutes by default. The time stops while its caller answers an input request.
 * Each round takes at most one hour by default.
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
  /** Called with notifications that belong to no request and no subscription, mostly log messages. */
  onNotification?(notification: JsonRpcNotification): void;
}

/** How long the server may take to answer requests of this connection itself, in milliseconds. */
const sideRequestMs = 5_000;

/**
 * Takes ownership of the wire, and closes it with the connection. When this rejects, the wire belongs to the caller again. The
 * log level of the session is the most verbose that a request asked for. Rejects with McpError or TransportError.
 */
export async function connectLegacy(wire: MessageWire, options: LegacyOptions): Promise<Connection> {
  const { timeoutMs = 600_000, maxTotalMs = 3_600_000 } = options;
  const requester = createRequester(wire, options);
  void wire.closed.then(requester.end);
  let receivers: Receivers | undefined;

  wire.onMessage = (message, origin) => {
    if (isRequest(message)) answer(message, origin);
    else if (!isNotification(message)) {
      requester.settle(message);
      receivers?.calls.answered(message.id);
    } else if (!receivers || !deliver(message, receivers, origin)) options.onNotification?.(message);
    if (isNotification(message) && message.method === notificationMethod.toolsChanged) tools.forget();
  };

  function answer(message: JsonRpcRequest, origin?: RequestId): void {
    const { id, method: asked } = message;
    requester.echoState(message);
    if (asked === legacyMethod.ping) requester.respond(id, {});
    else if (receivers && isInputRequestMethod(asked)) receiveInputRequest(receivers, message, origin);
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
      receivers?.calls.forgetCancelled();
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
  receivers = { calls, taskInputRequests, subscriptions };
  void wire.closed.then((error) => {
    subscriptions.end(error);
    calls.endWaiting(error);
  });
  if (isSessionWire(wire)) {
    wire.onGap = subscriptions.announceAll;
    wire.onActivity = (id) => calls.running.get(id)?.round?.deadline.touch();
  }

  const dispatch = createLegacyDispatch({ session, server, calls, tasks, subscriptions, tools, logLevel });
  let broken: TransportError | undefined;

  /** Ends the connection although the process or stream is still there. */
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
