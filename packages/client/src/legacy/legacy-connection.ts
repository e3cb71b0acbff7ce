// The parts of a connection to a legacy server around one session, and its end.
import {
  type DiscoverResult,
  type Dispatch,
  type JsonObject,
  type KnownOptions,
  method,
  pickOptions,
} from "@lethe/protocol";
import {
  hasTaskTools,
  legacyMethod,
  type Revision,
  type RevisionTraits,
  revisionNamed,
  toDiscoverResult,
} from "@lethe/protocol/revisions";
import type { Connection, ConnectionEnd } from "../call/connection.ts";
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

/**
 * A gateway has one for each caller, so getters are on the prototype: V8 keeps an object literal with getters as a hash table. The
 * other members are the object's own, so that a copy has them.
 */
export class LegacyConnection implements Connection {
  readonly dispatch: Dispatch;
  readonly era = "legacy";
  readonly revision: string;
  readonly traits: RevisionTraits;
  readonly isStateful: boolean;
  readonly server: DiscoverResult;
  readonly pendingCalls: PendingCalls;
  readonly closed: Promise<ConnectionEnd>;
  readonly close: () => Promise<void>;
  readonly #wire: MessageWire;
  readonly #requester: Requester;
  readonly #session: Session;
  readonly #revision: Revision;
  readonly #tools: ToolFacts;
  readonly #calls: Calls;
  readonly #taskInputRequests: TaskInputRequests;
  readonly #tasks: TaskAugmentation;
  readonly #subscriptions: Subscriptions;
  readonly #stopPinging: (() => void) | undefined;
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
    this.server = toDiscoverResult(session.handshake);
    this.pendingCalls = pendingCalls;
    this.#tools = createToolFacts((cursor) => this.#listTools(cursor));
    const logLevel = createSessionLogLevel((level) => this.#request("logging/setLevel", { level }));
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
    const { maxListens, maxWatchedResources } = options;
    this.#subscriptions = createSubscriptions({
      ...(maxListens !== undefined && { maxListens }),
      ...(maxWatchedResources !== undefined && { maxWatchedResources }),
      open,
      capabilities: this.server.capabilities,
      send: (name, uri) => this.#request(name, { uri }),
      meta: this.server._meta,
    });
    session.attach({
      tools: this.#tools,
      isNeeded: () => this.#subscriptions.count() > 0,
      onRenewed: () => this.#restore(logLevel),
    });
    this.#stopPinging = this.#startPinging(options);
    this.dispatch = createLegacyDispatch({
      ...{ server: this.server, calls: this.#calls, tasks: this.#tasks, subscriptions: this.#subscriptions },
      ...{ tools: this.#tools, session, logLevel },
      notify: ({ method: name, params }) => requester.notify(name, revision.toServerParams(name, params, undefined)),
    });
    this.revision = revision.name;
    this.traits = revision.traits;
    this.isStateful = !isSessionWire(wire) || wire.isNamed;
    this.close = () => this.#end(new TransportError("closed", `the connection to ${peer} was closed`));
    this.closed = wire.closed.then(({ message }) => ({ reason: this.#broken?.message ?? message }));
    this.#listen(messages);
  }

  get lostSessions(): number {
    return this.#session.lossCount;
  }

  get isAsking(): boolean {
    return this.#calls.isAsking;
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
      this.#stopPinging?.();
    });
  }

  #startPinging({ pingIntervalMs, pingTimeoutMs }: KeepAliveOptions): (() => void) | undefined {
    if (pingIntervalMs === undefined) return undefined;
    return keepAlive({
      ...{ pingIntervalMs, ...(pingTimeoutMs !== undefined && { pingTimeoutMs }) },
      ping: (limitMs) => this.#requester.requestWithin(limitMs, legacyMethod.ping, {}),
      onFailed: (error) => this.#onPingFailed(error),
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
  async #restore(logLevel: SessionLogLevel): Promise<void> {
    this.#calls.forgetCancelled();
    await Promise.all([logLevel.restore(), this.#subscriptions.restore()]);
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
    this.#stopPinging?.();
    this.#calls.close();
    this.#taskInputRequests.closeAll();
    this.#requester.end(this.#broken);
    await this.#wire.close();
  }
}
