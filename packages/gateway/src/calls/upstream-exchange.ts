// The exchange of a request on its way to a modern upstream: only what the caller asked for comes back, under its own token.
import {
  type Exchange,
  isAtLeast,
  isLogLevel,
  type JsonRpcNotification,
  type ModernRequest,
  metaKey,
  notificationMethod,
} from "@lethe/protocol";
import { LimitedExchange } from "./limited-exchange.ts";

let lastToken = 0;

/** J-55: unique among all requests of this process. */
export function mintProgressToken(): number {
  lastToken += 1;
  return lastToken;
}

export class UpstreamExchange extends LimitedExchange {
  readonly #meta: ModernRequest["params"]["_meta"];
  readonly #ownToken: number | undefined;

  /** `ownToken` is what the upstream gets in place of the caller's token. */
  constructor(exchange: Exchange, request: ModernRequest, ownToken: number | undefined) {
    super(exchange);
    this.#meta = request.params._meta;
    this.#ownToken = ownToken;
  }

  override notify(notification: JsonRpcNotification): boolean {
    const translated = this.#translate(notification);
    return translated === undefined || super.notify(translated);
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
