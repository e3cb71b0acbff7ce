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
import { legacyNotification, type Revision } from "@lethe/protocol/revisions";
import { isInternal } from "../../http/answers.ts";
import { type SessionFacts, withTasks } from "../sessions/session-facts.ts";
import type { LegacyContext, Peer } from "../shared/legacy-context.ts";
import type { SessionState } from "../shared/session-store.ts";

/** Of its tasks a session hears of the newest; any can be asked after. */
const maxFollowed = 100;

/** Where the changes go. */
export interface ChangeSink {
  /** False when the client reads more slowly than we write. */
  notify(text: string): boolean;
  drained(): Promise<void>;
  /** The server has ended the subscription: it shuts down. */
  end(): void;
}

export class ChangeFeed {
  readonly #facts: SessionFacts;
  readonly #context: LegacyContext;
  readonly #peer: Peer;
  readonly #sink: ChangeSink;
  /** The last one that was asked for, which may not have begun. */
  #current: FeedExchange | undefined = undefined;
  #told: FeedExchange | undefined = undefined;
  #wanted = "";
  #isStopped = false;

  constructor(facts: SessionFacts, context: LegacyContext, sink: ChangeSink, peer: Peer) {
    this.#facts = facts;
    this.#context = context;
    this.#sink = sink;
    this.#peer = peer;
  }

  /** Calls back when what was last watched is told here, or never will be: behind a gateway that takes a while. */
  whenStarted(callback: () => void): void {
    if (this.#current) this.#current.whenStarted(callback);
    else callback();
  }

  /** Begins, or goes on with other resources and tasks. What the core refuses leaves everything as it was. */
  watch({ subscriptions = [], tasks = [] }: SessionState = {}): void {
    const followed = tasks.slice(-maxFollowed);
    const wanted = JSON.stringify([subscriptions, followed]);
    if (this.#isStopped || (this.#current && wanted === this.#wanted)) return;
    this.#wanted = wanted;
    const before = this.#current;
    const exchange = new FeedExchange(this.#facts.revision, this.#peer, this.#sink, () => {
      before?.stop();
      this.#told?.stop();
      this.#told = exchange;
    });
    this.#current = exchange;
    void this.#listen(subscriptions, followed, exchange).finally(() => exchange.begin());
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
    const params = this.#facts.revision.fromClientParams(
      method.listen,
      { notifications },
      taskIds.length > 0 ? withTasks(this.#facts) : this.#facts,
    );
    try {
      await this.#context.dispatch({ id: "changes", method: method.listen, params }, exchange);
    } catch (error) {
      // A core without subscriptions has nothing to tell, and one may have enough of them.
      if (!exchange.isStopped && isInternal(error)) this.#context.settings.onError(error);
      return;
    }
    if (exchange.hasPromised && !exchange.isStopped) this.#sink.end();
  }
}

class FeedExchange implements Exchange {
  readonly caller: Caller | undefined;
  readonly isAnonymous: boolean | undefined;
  readonly #revision: Revision;
  readonly #sink: ChangeSink;
  readonly #takeOver: () => void;
  readonly #stops = new Set<() => void>();
  /** Undefined when it has begun, or never will. */
  #waiting: (() => void)[] | undefined = [];
  #controller: AbortController | undefined = undefined;
  isStopped = false;
  /** It will tell of something; one that will not is over at once, and that means nothing. */
  hasPromised = false;

  /** `takeOver` is called when it begins to tell, before whoever waits for that. */
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
      this.hasPromised = isJsonObject(params.notifications) && Object.keys(params.notifications).length > 0;
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
    // It never will.
    this.begin();
  }
}

function toLegacyChange(revision: Revision, name: string, params: JsonObject): JsonObject {
  if (name !== notificationMethod.task) return withoutTag(name, params);
  return {
    jsonrpc: "2.0",
    method: legacyNotification.taskStatus,
    params: revision.toClientTask(params as unknown as DetailedTask),
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
