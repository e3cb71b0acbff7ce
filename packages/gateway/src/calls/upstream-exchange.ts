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

  #translate(notification: JsonRpcNotification): JsonRpcNotification | undefined {
    const { method: notified, params = {} } = notification;
    if (notified === notificationMethod.progress) {
      if (this.#ownToken === undefined || params.progressToken !== this.#ownToken) return undefined;
      return { ...notification, params: { ...params, progressToken: this.#meta.progressToken } };
    }
    if (!coreNotifications.has(notified)) {
      return passes(notified, this.#meta, this.#extensions) ? notification : undefined;
    }
    const wanted = this.#meta[metaKey.logLevel];
    if (notified !== notificationMethod.message || !isLogLevel(wanted) || !isLogLevel(params.level)) return undefined;
    return isAtLeast(params.level, wanted) ? notification : undefined;
  }
}

/** The exchange of a request over a connection that translates notifications of the core by itself. */
export class ConnectionExchange extends LimitedExchange {
  readonly #meta: ModernRequest["params"]["_meta"];
  readonly #extensions: ExtensionFilter;

  constructor(exchange: Exchange, request: ModernRequest, extensions: ExtensionFilter) {
    super(exchange);
    this.#meta = request.params._meta;
    this.#extensions = extensions;
  }

  override notify(notification: JsonRpcNotification): boolean {
    const { method: notified } = notification;
    const isPassed = coreNotifications.has(notified) || passes(notified, this.#meta, this.#extensions);
    return !isPassed || super.notify(notification);
  }
}

/** An extension or a later revision may define notifications that precede the result of a request. */
function passes(
  notified: string,
  meta: ModernRequest["params"]["_meta"],
  extensions: ExtensionFilter | undefined,
): boolean {
  if (isLaterRevision(meta[metaKey.protocolVersion])) return true;
  const declared = declaredExtensionsOf(meta[metaKey.clientCapabilities]);
  return declared !== noExtensions && (extensions?.passesNotification(notified, declared) ?? true);
}
