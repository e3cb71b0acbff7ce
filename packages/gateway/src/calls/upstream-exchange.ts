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
import { isLaterRevision } from "@lethe/protocol/revisions";
import { declaredExtensionsOf, noExtensions } from "../extensions/declared-extensions.ts";
import type { ExtensionFilter } from "../extensions/extension-filter.ts";
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

  readonly #extensions: ExtensionFilter | undefined;

  /** `ownToken` replaces the caller's progress token at the upstream. All extensions pass by default. */
  constructor(exchange: Exchange, request: ModernRequest, ownToken: number | undefined, extensions?: ExtensionFilter) {
    super(exchange);
    this.#meta = request.params._meta;
    this.#ownToken = ownToken;
    this.#extensions = extensions;
  }

  override notify(notification: JsonRpcNotification): boolean {
    const translated = this.#translate(notification);
    return translated === undefined || super.notify(translated);
  }

  /** An extension or a later revision may define notifications that precede the result of a request. */
  #passes(notified: string): boolean {
    if (isLaterRevision(this.#meta[metaKey.protocolVersion])) return true;
    const declared = declaredExtensionsOf(this.#meta[metaKey.clientCapabilities]);
    return declared !== noExtensions && (this.#extensions?.passesNotification(notified, declared) ?? true);
  }

  #translate(notification: JsonRpcNotification): JsonRpcNotification | undefined {
    const { method: notified, params = {} } = notification;
    if (notified === notificationMethod.progress) {
      if (this.#ownToken === undefined || params.progressToken !== this.#ownToken) return undefined;
      return { ...notification, params: { ...params, progressToken: this.#meta.progressToken } };
    }
    if (!coreNotifications.has(notified)) return this.#passes(notified) ? notification : undefined;
    const wanted = this.#meta[metaKey.logLevel];
    if (notified !== notificationMethod.message || !isLogLevel(wanted) || !isLogLevel(params.level)) return undefined;
    return isAtLeast(params.level, wanted) ? notification : undefined;
  }
}
