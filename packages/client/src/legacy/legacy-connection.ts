// The parts of a connection to a legacy server around one session, and its end.
import { type DiscoverResult, type JsonObject, type KnownOptions, method, pickOptions } from "@lethe/protocol";
import { hasTaskTools, legacyMethod, type Revision, revisionNamed, toDiscoverResult } from "@lethe/protocol/revisions";
import type { Connection } from "../call/connection.ts";
import type { TimeLimits } from "../call/deadline.ts";
import type { MessageWire } from "../call/message-wire.ts";
import { createOpenRequests } from "../call/open-requests.ts";
import { knownPendingCallLimits, type PendingCallLimits, PendingCalls } from "../call/pending-calls.ts";
import type { Requester, RequesterOptions } from "../call/requester.ts";
import { isTransportError, TransportError } from "../call/transport-error.ts";
import { knownRetryOptions } from "../http/retries.ts";
import { type CallOptions, Calls } from "./calls.ts";
import { type KeepAliveOptions, keepAlive } from "./keep-alive.ts";
import { createLegacyDispatch } from "./legacy-dispatch.ts";
import { createSessionLogLevel, type SessionLogLevel } from "./log-level.ts";
import type { ServerMessages, ServerMessagesOptions } from "./server-messages.ts";
import type { Session, SessionOptions } from "./session.ts";
import { isSessionWire, SessionLostError } from "./session-wire.ts";
import { createSubscriptions, type SubscriptionOptions, type Subscriptions } from "./subscriptions.ts";
import { TaskAugmentation } from "./task-augmentation.ts";
import { TaskInputRequests } from "./task-input-requests.ts";
import { createToolFacts, type ToolFacts } from "./tool-facts.ts";

/**
 * A request without a response or progress fails after 10 minutes by default. The time stops while its caller answers an input request.
 * Each round takes at most one hour by default.
 */
export interface LegacyOptions
  extends SessionOptions,
    RequesterOptions,
    CallOptions,
    SubscriptionOptions,
    KeepAliveOptions,
    PendingCallLimits,
    ServerMessagesOptions,
    Partial<TimeLimits> {
  /** A registry that several connections share. Default: one for this connection, with the limits of these options. */
  pendingCalls?: PendingCalls | undefined;
}

/** The options that connections over HTTP have too. */
export type SharedLegacyOptions = Omit<
  LegacyOptions,
  "clientInfo" | "initializeTimeoutMs" | "timeoutMs" | "maxTotalMs"
>;

export const knownSharedLegacyOptions: KnownOptions<SharedLegacyOptions> = {
  ...knownPendingCallLimits,
  maxOpenRequests: true,
  elicits: true,
  turnWaitMs: true,
  maxWaitingCalls: true,
  retries: knownRetryOptions,
  roots: true,
  hasOneCaller: true,
  pingIntervalMs: true,
  pingTimeoutMs: true,
  capabilities: true,
  offeredRevision: true,
  resendsAfterLoss: true,
  maxListens: true,
  maxWatchedResources: true,
  onNotification: true,
  pendingCalls: true,
};

export const knownLegacyOptions: KnownOptions<LegacyOptions> = {
  ...knownSharedLegacyOptions,
  clientInfo: "an object",
  initializeTimeoutMs: true,
  timeoutMs: true,
  maxTotalMs: true,
};

/** A session that has begun, and how its messages travel. */
export interface BegunSession {
  readonly wire: MessageWire;
  readonly requester: Requester;
  readonly messages: ServerMessages;
  readonly session: Session;
}

/** How long the server may take to answer requests of this connection itself, in milliseconds. */
const sideRequestMs = 5_000;

export class LegacyConnection {
  readonly #wire: MessageWire;
  readonly #requester: Requester;
  readonly #session: Session;
  readonly #revision: Revision;
  readonly #server: DiscoverResult;
  readonly #pendingCalls: PendingCalls;
  readonly #tools: ToolFacts;
  readonly #logLevel: SessionLogLevel;
  readonly #calls: Calls;
  readonly #taskInputRequests: TaskInputRequests;
  readonly #tasks: TaskAugmentation;
  readonly #subscriptions: Subscriptions;
  readonly #stopPinging: () => void;
  #broken: TransportError | undefined;

  constructor({ wire, requester, messages, session }: BegunSession, options: LegacyOptions) {
    const {
      timeoutMs = 600_000,
      maxTotalMs = 3_600_000,
      pendingCalls = new PendingCalls(pickOptions<PendingCallLimits>(options, knownPendingCallLimits)),
      roots,
    } = options;
    const { peer } = wire;
    const { serverInfo } = session.handshake;
    const revision = revisionNamed(session.handshake.protocolVersion);
    const open = createOpenRequests(peer, { timeoutMs, maxTotalMs });
    this.#wire = wire;
    this.#requester = requester;
    this.#session = session;
    this.#revision = revision;
    this.#server = toDiscoverResult(session.handshake);
    this.#pendingCalls = pendingCalls;
    this.#tools = createToolFacts((cursor) => this.#listTools(cursor));
    this.#logLevel = createSessionLogLevel((level) => this.#request("logging/setLevel", { level }));
    this.#calls = new Calls({
      ...options,
      ...{ requester, revision, open, pendingCalls, serverInfo, peer },
      mend: (error, request) => session.mend(error, request),
      showsOrigin: wire.showsOrigin ?? isSessionWire(wire),
      canAnswer: () => !isSessionWire(wire) || wire.isNamed,
    });
    this.#taskInputRequests = new TaskInputRequests({ requester, revision, roots, ttlMs: pendingCalls.ttlMs });
    this.#tasks = new TaskAugmentation({
      ...{ peer, revision, serverInfo, calls: this.#calls, inputRequests: this.#taskInputRequests, tools: this.#tools },
      isOffered: () => hasTaskTools(session.handshake.capabilities),
    });
    this.#subscriptions = createSubscriptions({
      ...options,
      open,
      capabilities: this.#server.capabilities,
      send: (name, uri) => this.#request(name, { uri }),
      meta: this.#server._meta,
    });
    session.attach({
      tools: this.#tools,
      isNeeded: () => this.#subscriptions.count > 0,
      onRenewed: () => this.#restore(),
    });
    this.#stopPinging = keepAlive({
      ...options,
      ping: (limitMs) => requester.requestWithin(limitMs, legacyMethod.ping, {}),
      onFailed: (error) => this.#onPingFailed(error),
    });
    this.#listen(messages);
  }

  toConnection(): Connection {
    const wire = this.#wire;
    const calls = this.#calls;
    const server = this.#server;
    const session = this.#session;
    const requester = this.#requester;
    const revision = this.#revision;
    const parts = { server, calls, tasks: this.#tasks, subscriptions: this.#subscriptions, tools: this.#tools };
    return {
      dispatch: createLegacyDispatch({
        ...{ ...parts, session, logLevel: this.#logLevel },
        notify: ({ method: name, params }) => requester.notify(name, revision.toServerParams(name, params, undefined)),
      }),
      era: "legacy",
      revision: this.#revision.name,
      traits: this.#revision.traits,
      isStateful: !isSessionWire(wire) || wire.isNamed,
      get lostSessions() {
        return session.lossCount;
      },
      get isAsking() {
        return calls.isAsking;
      },
      pendingCalls: this.#pendingCalls,
      server,
      closed: wire.closed.then(({ message }) => ({ reason: this.#broken?.message ?? message })),
      close: () => this.#end(new TransportError("closed", `the connection to ${wire.peer} was closed`)),
    };
  }

  #listen(messages: ServerMessages): void {
    const wire = this.#wire;
    const calls = this.#calls;
    const subscriptions = this.#subscriptions;
    messages.deliverTo({ calls, taskInputRequests: this.#taskInputRequests, subscriptions, tools: this.#tools });
    if (isSessionWire(wire)) {
      wire.onGap = subscriptions.announceAll;
      wire.onActivity = (id) => calls.running.get(id)?.round?.deadline.touch();
    }
    void wire.closed.then((error) => {
      subscriptions.end(error);
      calls.endWaiting(error);
      this.#stopPinging();
    });
  }

  /** Sends a request of this connection itself. */
  #request(name: string, params: JsonObject): Promise<JsonObject> {
    return this.#requester.requestWithin(sideRequestMs, name, params);
  }

  async #listTools(cursor: string | undefined): Promise<JsonObject> {
    const page = await this.#request(method.listTools, cursor === undefined ? {} : { cursor });
    return this.#revision.fromServerResult(method.listTools, page);
  }

  /** A new session has no calls, and neither the log level nor the subscriptions of the earlier one. */
  async #restore(): Promise<void> {
    this.#calls.forgetCancelled();
    await Promise.all([this.#logLevel.restore(), this.#subscriptions.restore()]);
    this.#subscriptions.announceAll();
  }

  #onPingFailed(error: unknown): void {
    if (error instanceof SessionLostError) this.#session.renewAfter(error).catch(() => {});
    else if (isTransportError(error) && error.reason === "timeout") void this.#end(error);
  }

  /** Ends the connection although the process or stream is still there. */
  async #end(error: TransportError): Promise<void> {
    this.#broken ??= error;
    this.#subscriptions.end(this.#broken.reason === "closed" ? undefined : this.#broken);
    this.#stopPinging();
    this.#calls.close();
    this.#taskInputRequests.closeAll();
    this.#requester.end(this.#broken);
    await this.#wire.close();
  }
}
