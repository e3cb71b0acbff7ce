// Subscriptions that outlive the connection to their server (E-17): a client that the bridge serves, an older one above all,
// knows of no stream that it could open again.
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

export function withKeptListening(dispatch: Dispatch): Dispatch {
  return (request, exchange) =>
    request.method === method.listen ? keepListening(dispatch, request, exchange) : dispatch(request, exchange);
}

/** What was granted once is begun again, however it has ended, until its client has enough of it. */
async function keepListening(dispatch: Dispatch, request: ModernRequest, exchange: Exchange): Promise<Result> {
  const kept = new KeptExchange(exchange, request.id);
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

class KeptExchange implements Exchange {
  /** Its client has enough of it, or what the server says cannot be heeded. */
  readonly signal: AbortSignal;
  readonly caller: Caller | undefined;
  readonly #ended: AbortController = new AbortController();
  readonly #exchange: Exchange;
  readonly #id: RequestId;
  #granted: ListenFilter | undefined;
  /** The server has acknowledged since the last beginning. */
  isHeard = false;
  /** What is wrong with the acknowledgement. */
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
    // Nobody knows what has changed meanwhile: everything may have.
    for (const { method: told, params } of toEveryChange(this.#granted)) {
      hasRoom = this.#exchange.notify(withSubscriptionId(told, params, this.#id));
    }
    return hasRoom;
  }

  /** Nothing is thrown: whoever reads the server's messages has others to read as well. */
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
