// One open subscriptions/listen in front of a legacy server: sends nothing before the acknowledgement, and tags each notification.
import {
  type Exchange,
  type JsonObject,
  type ListenFilter,
  notificationMethod,
  type RequestId,
  toAcknowledged,
  toEveryChange,
  withSubscriptionId,
} from "@lethe/protocol";
import { createChangeRelay } from "../call/change-relay.ts";

export interface Subscription {
  acknowledge(granted: ListenFilter): void;
  /** Sends the notification if the subscription was granted it. */
  offer(method: string, params: JsonObject): void;
  /** Reports a change of everything that was granted. */
  offerAll(): void;
}

export function createSubscription(subscriptionId: RequestId, exchange: Exchange): Subscription {
  const changes = createChangeRelay(exchange);
  let filter: ListenFilter = {};

  function offer(method: string, params: JsonObject): void {
    const { _meta: _, ...body } = params;
    if (isWanted(filter, method, body.uri)) changes.send(withSubscriptionId(method, body, subscriptionId));
  }

  return {
    acknowledge(granted) {
      filter = granted;
      changes.open(toAcknowledged(subscriptionId, granted));
    },
    offer,
    offerAll() {
      for (const { method, params } of toEveryChange(filter)) {
        changes.send(withSubscriptionId(method, params, subscriptionId));
      }
    },
  };
}

const flagOf: Readonly<Record<string, "toolsListChanged" | "promptsListChanged" | "resourcesListChanged">> = {
  [notificationMethod.toolsChanged]: "toolsListChanged",
  [notificationMethod.promptsChanged]: "promptsListChanged",
  [notificationMethod.resourcesChanged]: "resourcesListChanged",
};

function isWanted(filter: ListenFilter, method: string, uri: unknown): boolean {
  const flag = flagOf[method];
  if (flag) return filter[flag] === true;
  if (typeof uri !== "string") return false;
  return (filter.resourceSubscriptions ?? []).some((subscribed) => isWithin(uri, subscribed));
}

/** E-13: a server may name a sub-resource of a subscribed resource. */
function isWithin(uri: string, subscribed: string): boolean {
  if (!uri.startsWith(subscribed)) return false;
  return uri.length === subscribed.length || subscribed.endsWith("/") || "/?#".includes(uri.charAt(subscribed.length));
}
