// A listen request has another id on the wire than its sender gave it; what names the subscription is translated back.
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
  /** An exchange whose notifications name the sender's id. */
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

/**
 * I-12: servers of drafts name no subscription in its acknowledgement and its changes. A stream that carries one
 * subscription says by itself which one is meant.
 */
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
