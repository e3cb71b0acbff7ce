// The exchange of a request to a modern upstream. It forwards only the notifications that the caller asked for, under the
// caller's own progress token, and those of extensions that the caller declares.
import {
  type Exchange,
  isAtLeast,
  isLogLevel,
  type JsonRpcNotification,
  type ModernRequest,
  metaKey,
  notificationMethod,
} from "@lethe/protocol";
import { declaredExtensionsOf, noExtensions } from "../extensions/declared-extensions.ts";
import { LimitedExchange } from "./limited-exchange.ts";

const coreNotifications: ReadonlySet<string> = new Set(Object.values(notificationMethod));

let lastToken = 0;

/** Unique among all requests of this process. */
export function mintProgressToken(): number {
  lastToken += 1;
  return lastToken;
}

export class UpstreamExchange extends LimitedExchange {
  readonly #meta: ModernRequest["params"]["_meta"];
  readonly #ownToken: number | undefined;

  /** `ownToken` replaces the caller's progress token at the upstream. */
  constructor(exchange: Exchange, request: ModernRequest, ownToken: number | undefined) {
    super(exchange);
    this.#meta = request.params._meta;
    this.#ownToken = ownToken;
  }

  override notify(notification: JsonRpcNotification): boolean {
    const translated = this.#translate(notification);
    return translated === undefined || super.notify(translated);
  }

  /** An extension may define notifications that precede the result of a request. */
  get #declaresExtensions(): boolean {
    return declaredExtensionsOf(this.#meta[metaKey.clientCapabilities]) !== noExtensions;
  }

  #translate(notification: JsonRpcNotification): JsonRpcNotification | undefined {
    const { method: notified, params = {} } = notification;
    if (notified === notificationMethod.progress) {
      if (this.#ownToken === undefined || params.progressToken !== this.#ownToken) return undefined;
      return { ...notification, params: { ...params, progressToken: this.#meta.progressToken } };
    }
    if (!coreNotifications.has(notified)) return this.#declaresExtensions ? notification : undefined;
    const wanted = this.#meta[metaKey.logLevel];
    if (notified !== notificationMethod.message || !isLogLevel(wanted) || !isLogLevel(params.level)) return undefined;
    return isAtLeast(params.level, wanted) ? notification : undefined;
  }
}
