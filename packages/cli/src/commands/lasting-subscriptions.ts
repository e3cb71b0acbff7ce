// Renews subscriptions after their connection to the server broke (E-17). Clients of the bridge cannot do this, because they
// have no stream to open again.
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Caller,
  type Dispatch,
  type Exchange,
  errorCode,
  type JsonRpcNotification,
  type ListenFilter,
  McpError,
  type ModernRequest,
  method,
  notificationMethod,
  parseListenFilter,
  type RequestId,
  type Result,
  toEveryChange,
  withSubscriptionId,
} from "@lethe/protocol";

const firstDelayMs = 1_000;
const longestDelayMs = 30_000;

export function withLastingSubscriptions(dispatch: Dispatch): Dispatch {
  return (request, exchange) =>
    request.method === method.listen ? keepSubscription(dispatch, request, exchange) : dispatch(request, exchange);
}

/** Repeats an accepted subscription after each end, until the client cancels it. */
async function keepSubscription(dispatch: Dispatch, request: ModernRequest, exchange: Exchange): Promise<Result> {
  const kept = new LastingExchange(exchange, request.id);
  const { signal } = kept;
  for (let delayMs = firstDelayMs; ; ) {
    kept.isHeard = false;
    try {
      const result = await dispatch(request, kept);
      if (kept.problem) throw kept.problem;
      if (!kept.hasGrant || signal.aborted) return result;
    } catch (error) {
      if (!kept.hasGrant || signal.aborted) throw kept.problem ?? error;
    }
    delayMs = kept.isHeard ? firstDelayMs : Math.min(longestDelayMs, delayMs * 2);
    await sleep(delayMs * (0.5 + Math.random() / 2), undefined, { signal, ref: false }).catch(() => {});
    if (signal.aborted) return { resultType: "complete" };
  }
}

class LastingExchange implements Exchange {
  /** Aborted when the client cancels, or when the server sends an invalid acknowledgement. */
  readonly signal: AbortSignal;
  readonly caller: Caller | undefined;
  readonly #ended: AbortController = new AbortController();
  readonly #exchange: Exchange;
  readonly #id: RequestId;
  #granted: ListenFilter | undefined;
  /** The server has acknowledged the current attempt. */
  isHeard = false;
  /** The problem of an invalid acknowledgement. */
  problem: McpError | undefined;

  constructor(exchange: Exchange, id: RequestId) {
    this.signal = AbortSignal.any([exchange.signal, this.#ended.signal]);
    this.caller = exchange.caller;
    this.#exchange = exchange;
    this.#id = id;
  }

  get hasGrant(): boolean {
    return this.#granted !== undefined && Object.keys(this.#granted).length > 0;
  }

  drained(): Promise<void> {
    return this.#exchange.drained();
  }

  notify(notification: JsonRpcNotification): boolean {
    if (notification.method !== notificationMethod.acknowledged) return this.#exchange.notify(notification);
    this.isHeard = true;
    if (!this.#granted) return this.#grant(notification);
    let hasRoom = true;
    // Anything may have changed meanwhile, so every change is reported.
    for (const { method: notified, params } of toEveryChange(this.#granted)) {
      hasRoom = this.#exchange.notify(withSubscriptionId(notified, params, this.#id));
    }
    return hasRoom;
  }

  /** Does not throw, because the caller continues to read messages of the server. */
  #grant(acknowledged: JsonRpcNotification): boolean {
    try {
      this.#granted = parseListenFilter(acknowledged.params ?? {});
    } catch (error) {
      const what = `the server sent a malformed ${acknowledged.method}: ${(error as Error).message}`;
      this.problem = new McpError(errorCode.internalError, what, { cause: error });
      this.#ended.abort();
      return true;
    }
    return this.#exchange.notify(acknowledged);
  }
}
