// The client's side of the core contract's Exchange, allocated only as far as the caller needs it.
import type { Caller, Exchange, JsonRpcNotification } from "@lethe/protocol";
import type { TimeLimits } from "./deadline.ts";

/** An Exchange that may set its own time limits. The connection's defaults apply to absent ones. */
export interface CallExchange extends Exchange {
  readonly limits?: Partial<TimeLimits> | undefined;
}

export interface CallExchangeOptions {
  signal?: AbortSignal | undefined;
  limits?: Partial<TimeLimits> | undefined;
  onNotification?: ((notification: JsonRpcNotification) => void) | undefined;
  /** The conversation this request belongs to. Default: the request stands alone. */
  conversation?: string | undefined;
}

/** The shared signal of requests that cannot be aborted. Never add a listener to it. */
const neverAborted: AbortSignal = new AbortController().signal;
const done: Promise<void> = Promise.resolve();

class ClientExchange implements CallExchange {
  readonly caller: Caller | undefined = undefined;
  readonly conversation: string | undefined;
  readonly signal: AbortSignal;
  readonly limits: Partial<TimeLimits> | undefined;
  readonly #onNotification: ((notification: JsonRpcNotification) => void) | undefined;

  constructor(options: CallExchangeOptions) {
    this.signal = options.signal ?? neverAborted;
    this.limits = options.limits;
    this.conversation = options.conversation;
    this.#onNotification = options.onNotification;
  }

  notify(notification: JsonRpcNotification): boolean {
    this.#onNotification?.(notification);
    return true;
  }

  drained(): Promise<void> {
    return done;
  }
}

export function createExchange(options: CallExchangeOptions): CallExchange {
  return new ClientExchange(options);
}

/** The signal to listen to. Undefined if it can never be aborted. */
export function abortSignalOf(exchange: Exchange): AbortSignal | undefined {
  const { signal } = exchange;
  return signal === neverAborted ? undefined : signal;
}
