// Translates subscription ids: a listen request has another id on the wire than its sender gave it.
import {
  type Exchange,
  isJsonObject,
  type JsonRpcNotification,
  metaKey,
  notificationMethod,
  type RequestId,
  type Result,
} from "@lethe/protocol";

export interface SubscriptionTranslation {
  /** Wraps an exchange so that its notifications name the sender's id. */
  toOwnExchange(exchange: Exchange): Exchange;
  toOwnResult(result: Result): Result;
}

export function subscriptionTranslation(wireId: RequestId, ownId: RequestId): SubscriptionTranslation {
  function translate(holder: { _meta?: unknown } | undefined): void {
    const meta = holder?._meta;
    if (isJsonObject(meta) && meta[metaKey.subscriptionId] === wireId) meta[metaKey.subscriptionId] = ownId;
  }

  return {
    toOwnExchange: (exchange) => ({
      get signal() {
        return exchange.signal;
      },
      caller: exchange.caller,
      notify(notification) {
        if (isUntagged(notification)) return exchange.notify(withSubscriptionId(notification, ownId));
        translate(notification.params);
        return exchange.notify(notification);
      },
      drained: () => exchange.drained(),
    }),
    toOwnResult(result) {
      translate(result);
      return result;
    },
  };
}

// I-12: servers of drafts name no subscription in acknowledgements and changes. If a stream carries a single
// subscription, they belong to that one.
export function isUntagged({ method, params }: JsonRpcNotification): boolean {
  if (!subscriptionNotifications.has(method)) return false;
  return !isJsonObject(params?._meta) || params._meta[metaKey.subscriptionId] === undefined;
}

const subscriptionNotifications: ReadonlySet<string> = new Set([
  notificationMethod.acknowledged,
  notificationMethod.toolsChanged,
  notificationMethod.promptsChanged,
  notificationMethod.resourcesChanged,
  notificationMethod.resourceUpdated,
  notificationMethod.task,
]);

function withSubscriptionId(notification: JsonRpcNotification, id: RequestId): JsonRpcNotification {
  const { params = {} } = notification;
  const meta = isJsonObject(params._meta) ? params._meta : {};
  return { ...notification, params: { ...params, _meta: { ...meta, [metaKey.subscriptionId]: id } } };
}
