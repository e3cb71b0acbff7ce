// Sends change notifications to one legacy session (D-26): subscribes to the core, and forwards each notification without its
// subscription id. When the session changes its resource subscriptions, a new subscription replaces the old one.
import {
  type Caller,
  type DetailedTask,
  type Exchange,
  isJsonObject,
  type JsonObject,
  type JsonRpcNotification,
  metaKey,
  method,
  notificationMethod,
} from "@lethe/protocol";
import { legacyNotification, type Revision } from "@lethe/protocol/revisions";
import { isInternal } from "../../http/answers.ts";
import { type SessionFacts, withTasks } from "../sessions/session-facts.ts";
import type { LegacyContext, Peer } from "../shared/legacy-context.ts";
import type { SessionState } from "../shared/session-store.ts";

/** Tasks of one session whose status is notified: the newest. The client can poll the others. */
const maxFollowed = 100;

/** The stream or connection that sends the notifications. */
export interface ChangeSink {
  /** Returns false when the client reads more slowly than the server writes. */
  notify(text: string): boolean;
  drained(): Promise<void>;
  /** The core has ended the subscription, because the server shuts down. */
  end(): void;
}

export class ChangeFeed {
  readonly #facts: SessionFacts;
  readonly #context: LegacyContext;
  readonly #peer: Peer;
  readonly #sink: ChangeSink;
  /** The subscription that was requested last. It may not have started. */
  #current: FeedExchange | undefined = undefined;
  #started: FeedExchange | undefined = undefined;
  #requested = "";
  #isStopped = false;

  constructor(facts: SessionFacts, context: LegacyContext, sink: ChangeSink, peer: Peer) {
    this.#facts = facts;
    this.#context = context;
    this.#sink = sink;
    this.#peer = peer;
  }

  /** Calls back when the last requested subscription has started, or failed. Behind a gateway that takes a while. */
  whenStarted(callback: () => void): void {
    if (this.#current) this.#current.whenStarted(callback);
    else callback();
  }

  /** Subscribes to the resources and tasks of the state. If the core refuses, the current subscription stays. */
  watch({ subscriptions = [], tasks = [] }: SessionState = {}): void {
    const followed = tasks.slice(-maxFollowed);
    const requested = JSON.stringify([subscriptions, followed]);
    if (this.#isStopped || (this.#current && requested === this.#requested)) return;
    this.#requested = requested;
    const before = this.#current;
    const exchange = new FeedExchange(this.#facts.revision, this.#peer, this.#sink, () => {
      before?.stop();
      this.#started?.stop();
      this.#started = exchange;
    });
    this.#current = exchange;
    void this.#listen(subscriptions, followed, exchange).finally(() => exchange.begin());
  }

  stop(): void {
    this.#isStopped = true;
    this.#current?.stop();
    this.#started?.stop();
  }

  async #listen(uris: readonly string[], taskIds: readonly string[], exchange: FeedExchange): Promise<void> {
    const notifications: JsonObject = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: uris,
      ...(taskIds.length > 0 && { taskIds }),
    };
    const params = this.#facts.revision.fromClientParams(
      method.listen,
      { notifications },
      taskIds.length > 0 ? withTasks(this.#facts) : this.#facts,
    );
    try {
      await this.#context.dispatch({ id: "changes", method: method.listen, params }, exchange);
    } catch (error) {
      // A core without subscriptions rejects the request, as does one that has reached its limit.
      if (!exchange.isStopped && isInternal(error)) this.#context.settings.onError(error);
      return;
    }
    if (exchange.hasNotifications && !exchange.isStopped) this.#sink.end();
  }
}

class FeedExchange implements Exchange {
  readonly caller: Caller | undefined;
  readonly isAnonymous: boolean | undefined;
  readonly #revision: Revision;
  readonly #sink: ChangeSink;
  readonly #takeOver: () => void;
  readonly #stops = new Set<() => void>();
  /** Undefined once the subscription has started, or failed. */
  #waiting: (() => void)[] | undefined = [];
  #controller: AbortController | undefined = undefined;
  isStopped = false;
  /** The core acknowledged at least one kind of notification. Otherwise the subscription ends immediately, which is no shutdown. */
  hasNotifications = false;

  /** `takeOver` is called when the subscription starts, before the callbacks of `whenStarted`. */
  constructor(revision: Revision, { caller, isAnonymous }: Peer, sink: ChangeSink, takeOver: () => void) {
    this.#revision = revision;
    this.caller = caller;
    this.isAnonymous = isAnonymous;
    this.#sink = sink;
    this.#takeOver = takeOver;
  }

  whenStarted(callback: () => void): void {
    if (this.#waiting) this.#waiting.push(callback);
    else callback();
  }

  begin(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const callback of waiting) callback();
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.isStopped) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  onAbort(callback: () => void): void {
    if (this.isStopped) callback();
    else this.#stops.add(callback);
  }

  notify({ method: name, params = {} }: JsonRpcNotification): boolean {
    if (this.isStopped) return true;
    if (name === notificationMethod.acknowledged) {
      this.hasNotifications = isJsonObject(params.notifications) && Object.keys(params.notifications).length > 0;
      if (this.#waiting) this.#takeOver();
      this.begin();
      return true;
    }
    return this.#sink.notify(JSON.stringify(toLegacyChange(this.#revision, name, params)));
  }

  drained(): Promise<void> {
    return this.isStopped ? Promise.resolve() : this.#sink.drained();
  }

  stop(): void {
    if (this.isStopped) return;
    this.isStopped = true;
    this.#controller?.abort();
    for (const stop of this.#stops) stop();
    this.#stops.clear();
    this.begin();
  }
}

function toLegacyChange(revision: Revision, name: string, params: JsonObject): JsonObject {
  if (name !== notificationMethod.task) return withoutSubscriptionId(name, params);
  return {
    jsonrpc: "2.0",
    method: legacyNotification.taskStatus,
    params: revision.toClientTask(params as unknown as DetailedTask),
  };
}

function withoutSubscriptionId(name: string, params: JsonObject): JsonObject {
  const { _meta, ...rest } = params;
  if (isJsonObject(_meta)) {
    const { [metaKey.subscriptionId]: _, ...meta } = _meta;
    if (Object.keys(meta).length > 0) rest._meta = meta;
  }
  return Object.keys(rest).length === 0
    ? { jsonrpc: "2.0", method: name }
    : { jsonrpc: "2.0", method: name, params: rest };
}
