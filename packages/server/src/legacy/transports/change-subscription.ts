// One subscription of a change feed (D-26): the exchange of `subscriptions/listen`, which converts notifications to the revision of
// the session.
import {
  type Caller,
  type DetailedTask,
  type Exchange,
  isJsonObject,
  type JsonObject,
  type JsonRpcNotification,
  metaKey,
  notificationMethod,
} from "@lethe/protocol";
import { legacyNotification, type Revision } from "@lethe/protocol/revisions";
import type { Peer } from "../shared/legacy-context.ts";

/** The stream or connection that sends the notifications. */
export interface ChangeSink {
  /** Returns false when the client reads more slowly than the server writes. */
  notify(text: string): boolean;
  drained(): Promise<void>;
  /** The core has ended the subscription, because the server shuts down. */
  end(): void;
}

export class ChangeSubscription implements Exchange {
  readonly caller: Caller | undefined;
  readonly isAnonymous: boolean | undefined;
  readonly #revision: Revision;
  readonly #sink: ChangeSink;
  readonly #takeOver: () => void;
  readonly #stops = new Set<() => void>();
  /** The callbacks of `whenStarted`. Undefined once the subscription has started, or failed. */
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

  /** The subscription has started, or failed. */
  markStarted(): void {
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
      this.markStarted();
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
    this.markStarted();
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
