// One open subscriptions/listen: nothing before its acknowledgement (E-11), everything tagged.
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

export interface Listener {
  acknowledge(granted: ListenFilter): void;
  /** Sends what was granted; before the acknowledgement, nothing was. */
  offer(method: string, params: JsonObject): void;
  /** Everything it hears of may have changed. */
  offerAll(): void;
}

export function createListener(subscriptionId: RequestId, exchange: Exchange): Listener {
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
  return (filter.resourceSubscriptions ?? []).some((watched) => isWithin(uri, watched));
}

/** E-13: a server may name a part of what is watched. */
function isWithin(uri: string, watched: string): boolean {
  if (!uri.startsWith(watched)) return false;
  return uri.length === watched.length || watched.endsWith("/") || "/?#".includes(uri.charAt(watched.length));
}
