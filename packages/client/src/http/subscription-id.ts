// A listen request has another id on the wire than its sender gave it; what names the subscription is translated back.
import { type Exchange, isJsonObject, type JsonObject, metaKey, type RequestId, type Result } from "@lethe/protocol";

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
        translate(notification.params as JsonObject | undefined);
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
