// What changes on the server, for one legacy session (D-26): a subscription of the modern core whose notifications go out
// without their tag. When the session watches other resources, a new subscription takes over from the old one.
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
import { legacyNotification, toLegacyTask, toModernParams } from "@lethe/protocol/legacy";
import { isInternal } from "../http/answers.ts";
import type { LegacyParts } from "./legacy-parts.ts";
import type { Peer } from "./peer.ts";
import type { SessionState } from "./session-store.ts";
import { type SessionFacts, withTasks } from "./session-token.ts";

/** Of its tasks a session hears of the newest; any can be asked after. */
const maxFollowed = 100;

/** Where the changes go. */
export interface FeedOutlet {
  /** False when the client reads more slowly than we write. */
  notify(text: string): boolean;
  drained(): Promise<void>;
  /** The server has ended the subscription: it shuts down. */
  end(): void;
}

export class ChangeFeed {
  readonly #facts: SessionFacts;
  readonly #parts: LegacyParts;
  readonly #peer: Peer;
  readonly #outlet: FeedOutlet;
  /** The last one that was asked for, which may not have begun. */
  #current: FeedExchange | undefined = undefined;
  #begun: Promise<void> = Promise.resolve();
  #told: FeedExchange | undefined = undefined;
  #wanted = "";
  #isStopped = false;

  constructor(facts: SessionFacts, parts: LegacyParts, outlet: FeedOutlet, peer: Peer) {
    this.#facts = facts;
    this.#parts = parts;
    this.#outlet = outlet;
    this.#peer = peer;
  }

  /** Resolves when what was last watched is told here, or never will be: behind a gateway that takes a while. */
  get begun(): Promise<void> {
    return this.#begun;
  }

  /**
   * Begins, or goes on with other resources and tasks. `onBegin` is called once: from now on, or never, something is told
   * here. What the core refuses leaves everything as it was.
   */
  watch({ subscriptions = [], tasks = [] }: SessionState = {}, onBegin?: () => void): void {
    const followed = tasks.slice(-maxFollowed);
    const wanted = JSON.stringify([subscriptions, followed]);
    if (this.#isStopped || (this.#current && wanted === this.#wanted)) {
      onBegin?.();
      return;
    }
    this.#wanted = wanted;
    const before = this.#current;
    let begin: () => void = () => {};
    this.#begun = new Promise((resolve) => {
      begin = resolve;
    });
    let isPending = true;
    const settle = (takeOver?: () => void): void => {
      if (!isPending) return;
      isPending = false;
      takeOver?.();
      onBegin?.();
      begin();
    };
    const exchange = new FeedExchange(this.#peer, this.#outlet, () =>
      settle(() => {
        if (exchange.isStopped) return;
        before?.stop();
        this.#told?.stop();
        this.#told = exchange;
      }),
    );
    this.#current = exchange;
    void this.#listen(subscriptions, followed, exchange).finally(() => settle());
  }

  stop(): void {
    this.#isStopped = true;
    this.#current?.stop();
    this.#told?.stop();
  }

  async #listen(uris: readonly string[], taskIds: readonly string[], exchange: FeedExchange): Promise<void> {
    const notifications: JsonObject = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: uris,
      ...(taskIds.length > 0 && { taskIds }),
    };
    const params = toModernParams({ notifications }, taskIds.length > 0 ? withTasks(this.#facts) : this.#facts);
    try {
      await this.#parts.dispatch({ id: "changes", method: method.listen, params }, exchange);
    } catch (error) {
      // A core without subscriptions has nothing to tell, and one may have enough of them.
      if (isInternal(error)) this.#parts.settings.onError(error);
      return;
    }
    if (exchange.hasPromised && !exchange.isStopped) this.#outlet.end();
  }
}

class FeedExchange implements Exchange {
  readonly caller: Caller | undefined;
  readonly isAnonymous: boolean | undefined;
  readonly #outlet: FeedOutlet;
  readonly #onBegin: () => void;
  readonly #stops = new Set<() => void>();
  #controller: AbortController | undefined = undefined;
  isStopped = false;
  /** It will tell of something; one that will not is over at once, and that means nothing. */
  hasPromised = false;

  constructor({ caller, isAnonymous }: Peer, outlet: FeedOutlet, onBegin: () => void) {
    this.caller = caller;
    this.isAnonymous = isAnonymous;
    this.#outlet = outlet;
    this.#onBegin = onBegin;
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
      this.hasPromised = isJsonObject(params.notifications) && Object.keys(params.notifications).length > 0;
      this.#onBegin();
      return true;
    }
    return this.#outlet.notify(JSON.stringify(toLegacyChange(name, params)));
  }

  drained(): Promise<void> {
    return this.isStopped ? Promise.resolve() : this.#outlet.drained();
  }

  stop(): void {
    if (this.isStopped) return;
    this.isStopped = true;
    this.#controller?.abort();
    for (const stop of this.#stops) stop();
    this.#stops.clear();
    // It never will.
    this.#onBegin();
  }
}

function toLegacyChange(name: string, params: JsonObject): JsonObject {
  if (name !== notificationMethod.task) return withoutTag(name, params);
  return {
    jsonrpc: "2.0",
    method: legacyNotification.taskStatus,
    params: toLegacyTask(params as unknown as DetailedTask),
  };
}

function withoutTag(name: string, params: JsonObject): JsonObject {
  const { _meta, ...rest } = params;
  if (isJsonObject(_meta)) {
    const { [metaKey.subscriptionId]: _, ...meta } = _meta;
    if (Object.keys(meta).length > 0) rest._meta = meta;
  }
  return Object.keys(rest).length === 0
    ? { jsonrpc: "2.0", method: name }
    : { jsonrpc: "2.0", method: name, params: rest };
}
