// A subscription that outlives the code that answers it: after a reload it continues on the new code, and its client gets notifications of what changed.
import {
  type Dispatch,
  type Exchange,
  type JsonRpcNotification,
  type ListenFilter,
  type ModernRequest,
  metaKey,
  notificationMethod,
  onAbort,
  type Result,
  withSubscriptionId,
} from "@lethe/protocol";
import type { ListKind } from "../channel/runner-messages.ts";

/** The member of a filter and the notification of each list. */
const lists = {
  tools: ["toolsListChanged", notificationMethod.toolsChanged],
  prompts: ["promptsListChanged", notificationMethod.promptsChanged],
  resources: ["resourcesListChanged", notificationMethod.resourcesChanged],
} as const;

export class LastingSubscription {
  /** Settles with the result of the code that ends the subscription itself. */
  readonly ended: Promise<Result>;
  readonly #request: ModernRequest;
  readonly #exchange: Exchange;
  #resolve: (result: Result) => void = () => {};
  #reject: (error: unknown) => void = () => {};
  #stop: AbortController | undefined;
  #isAcknowledged = false;
  #hasLeft = false;

  constructor(request: ModernRequest, exchange: Exchange) {
    this.#request = request;
    this.#exchange = exchange;
    this.ended = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    onAbort(exchange, () => {
      this.#hasLeft = true;
      this.#stop?.abort();
    });
  }

  /** Subscribes at `dispatch` instead. `changed` names the lists that differ from those of the code before. */
  attach(dispatch: Dispatch, changed: readonly ListKind[] = []): void {
    this.#stop?.abort();
    const stop = new AbortController();
    this.#stop = stop;
    if (this.#hasLeft) stop.abort();
    const { signal } = stop;
    dispatch(this.#request, this.#toExchange(signal, changed)).then(
      (result) => {
        if (!signal.aborted || this.#hasLeft) this.#resolve(result);
      },
      (error: unknown) => {
        // Code that crashed is replaced, and then the subscription continues.
        if (this.#hasLeft || !(signal.aborted || isLost(error))) this.#reject(error);
      },
    );
  }

  /** Ends the subscription gracefully. */
  close(): void {
    this.#stop?.abort();
    this.#resolve({ resultType: "complete", _meta: { [metaKey.subscriptionId]: this.#request.id } });
  }

  #toExchange(signal: AbortSignal, changed: readonly ListKind[]): Exchange {
    const exchange = this.#exchange;
    return {
      signal,
      caller: exchange.caller,
      conversation: exchange.conversation,
      isAnonymous: exchange.isAnonymous,
      headers: exchange.headers,
      notify: (notification) => signal.aborted || this.#notify(notification, changed),
      drained: () => exchange.drained(),
    };
  }

  #notify(notification: JsonRpcNotification, changed: readonly ListKind[]): boolean {
    if (notification.method !== notificationMethod.acknowledged) return this.#exchange.notify(notification);
    const filter = (notification.params?.notifications ?? {}) as ListenFilter;
    if (!this.#isAcknowledged) {
      this.#isAcknowledged = true;
      return this.#exchange.notify(notification);
    }
    const { id } = this.#request;
    const kinds = changed.filter((kind) => filter[lists[kind][0]] === true);
    const uris = filter.resourceSubscriptions ?? [];
    const told = [
      ...kinds.map((kind) => withSubscriptionId(lists[kind][1], {}, id)),
      // New code may answer with other contents.
      ...uris.map((uri) => withSubscriptionId(notificationMethod.resourceUpdated, { uri }, id)),
    ];
    return told.map((one) => this.#exchange.notify(one)).every(Boolean);
  }
}

function isLost(error: unknown): boolean {
  return (error as { data?: { reason?: unknown } } | undefined)?.data?.reason === "lost";
}
