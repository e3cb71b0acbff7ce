// Sends change notifications to one legacy session (D-26): subscribes to the core, and forwards each notification without its
// subscription id. When the session changes its resource subscriptions, a new subscription replaces the old one.
import { type JsonObject, method } from "@lethe/protocol";
import { isInternal } from "../../http/answers.ts";
import { type SessionFacts, withTasks } from "../sessions/session-facts.ts";
import type { LegacyContext, Peer } from "../shared/legacy-context.ts";
import type { SessionState } from "../shared/session-store.ts";
import { type ChangeSink, ChangeSubscription } from "./change-subscription.ts";

/** Tasks of one session whose status is notified: the newest. The client can poll the others. */
const maxFollowed = 100;

export class ChangeFeed {
  readonly #facts: SessionFacts;
  readonly #context: LegacyContext;
  readonly #peer: Peer;
  readonly #sink: ChangeSink;
  /** The subscription that was requested last. It may not have started. */
  #current: ChangeSubscription | undefined = undefined;
  #started: ChangeSubscription | undefined = undefined;
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
    const subscription = new ChangeSubscription(this.#facts.revision, this.#peer, this.#sink, () => {
      before?.stop();
      this.#started?.stop();
      this.#started = subscription;
    });
    this.#current = subscription;
    void this.#listen(subscriptions, followed, subscription).finally(() => subscription.markStarted());
  }

  stop(): void {
    this.#isStopped = true;
    this.#current?.stop();
    this.#started?.stop();
  }

  async #listen(uris: readonly string[], taskIds: readonly string[], subscription: ChangeSubscription): Promise<void> {
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
      await this.#context.dispatch({ id: "changes", method: method.listen, params }, subscription);
    } catch (error) {
      // A core without subscriptions rejects the request, as does one that has reached its limit.
      if (!subscription.isStopped && isInternal(error)) this.#context.settings.onError(error);
      return;
    }
    if (subscription.hasNotifications && !subscription.isStopped) this.#sink.end();
  }
}
