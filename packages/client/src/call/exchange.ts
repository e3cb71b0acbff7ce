// The client's side of a running request: what the core contract calls an Exchange, made as cheaply as its caller allows.
import type { Caller, Exchange, JsonRpcNotification } from "@lethe/protocol";
import type { TimeLimits } from "./deadline.ts";

/** An Exchange that may set its own time limits; a connection's defaults hold for what is absent. */
export interface CallExchange extends Exchange {
  readonly limits?: Partial<TimeLimits> | undefined;
}

export interface CallExchangeOptions {
  signal?: AbortSignal | undefined;
  limits?: Partial<TimeLimits> | undefined;
  onNotification?: ((notification: JsonRpcNotification) => void) | undefined;
  /** Default: the request stands alone. */
  conversation?: string | undefined;
}

/** The signal of a request that nobody can abort. One for all: never add a listener to it. */
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

/** The signal to listen to, or undefined when it can never be aborted. */
export function abortSignalOf(exchange: Exchange): AbortSignal | undefined {
  const { signal } = exchange;
  return signal === neverAborted ? undefined : signal;
}
