// The exchange of a request on its way to a modern upstream: only what the caller asked for comes back, under its own token.
import {
  type Caller,
  type Exchange,
  isAtLeast,
  isLogLevel,
  type JsonRpcNotification,
  type ModernRequest,
  metaKey,
  notificationMethod,
  onAbort,
} from "@lethe/protocol";

let lastToken = 0;

/** J-55: unique among all requests of this process. */
export function mintProgressToken(): number {
  lastToken += 1;
  return lastToken;
}

export class UpstreamExchange implements Exchange {
  readonly #exchange: Exchange;
  readonly #meta: ModernRequest["params"]["_meta"];
  readonly #ownToken: number | undefined;

  /** `ownToken` is what the upstream gets in place of the caller's token. */
  constructor(exchange: Exchange, request: ModernRequest, ownToken: number | undefined) {
    this.#exchange = exchange;
    this.#meta = request.params._meta;
    this.#ownToken = ownToken;
  }

  get signal(): AbortSignal {
    return this.#exchange.signal;
  }

  onAbort(callback: () => void): void {
    onAbort(this.#exchange, callback);
  }

  get caller(): Caller | undefined {
    return this.#exchange.caller;
  }

  get conversation(): string | undefined {
    return this.#exchange.conversation;
  }

  notify(notification: JsonRpcNotification): boolean {
    const translated = this.#translate(notification);
    return translated === undefined || this.#exchange.notify(translated);
  }

  drained(): Promise<void> {
    return this.#exchange.drained();
  }

  #translate(notification: JsonRpcNotification): JsonRpcNotification | undefined {
    const { method: told, params = {} } = notification;
    if (told === notificationMethod.progress) {
      if (this.#ownToken === undefined || params.progressToken !== this.#ownToken) return undefined;
      return { ...notification, params: { ...params, progressToken: this.#meta.progressToken } };
    }
    const wanted = this.#meta[metaKey.logLevel];
    if (told !== notificationMethod.message || !isLogLevel(wanted) || !isLogLevel(params.level)) return undefined;
    return isAtLeast(params.level, wanted) ? notification : undefined;
  }
}
