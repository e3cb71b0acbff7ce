// The client's side of the core contract's Exchange, allocated only as far as the caller needs it.
import type { Caller, Exchange, JsonRpcNotification } from "@lethe/protocol";
import type { TimeLimits } from "./deadline.ts";

/** An Exchange that may set its own time limits. The connection's defaults apply to absent ones. */
export interface CallExchange extends Exchange {
  /** The limits of this request. Default: those of the connection. */
  readonly limits?: Partial<TimeLimits> | undefined;
}

/** The link of one request to its caller. */
export interface CallExchangeOptions {
  /** Cancels the request, at the server as well. */
  signal?: AbortSignal | undefined;
  /** Time limits of the request. Default: those of the connection. */
  limits?: Partial<TimeLimits> | undefined;
  /** Receives the notifications that belong to the request. Default: they are dropped. */
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

/**
 * Creates the Exchange of one request: its signal, its time limits in ms, and the receiver of its notifications. Without limits, the
 * defaults of the connection apply.
 *
 * @example
 * import { connectMemory, createExchange, createRequestBuilder } from "@lethe/client/edge";
 * import { createServer } from "@lethe/server";
 *
 * const server = createServer({ name: "hello", version: "1.0.0" });
 * server.tool("greet", { handler: () => "Hello!" });
 *
 * const connection = await connectMemory("hello", server.dispatch);
 * const { build } = createRequestBuilder({ capabilities: {}, revision: connection.revision });
 * const exchange = createExchange({ limits: { timeoutMs: 5_000 }, onNotification: console.error });
 * const { tools } = await connection.dispatch(build("tools/list", {}), exchange);
 * console.log((tools as unknown[]).length); // 1
 * await connection.close();
 */
export function createExchange(options: CallExchangeOptions): CallExchange {
  return new ClientExchange(options);
}

/** The signal to listen to. Undefined if it can never be aborted. */
export function abortSignalOf(exchange: Exchange): AbortSignal | undefined {
  const { signal } = exchange;
  return signal === neverAborted ? undefined : signal;
}
