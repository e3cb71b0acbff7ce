// One open subscriptions/listen: nothing before its acknowledgement (E-11), everything tagged, and for a slow
// reader each change once.
import {
  type Exchange,
  type JsonObject,
  type JsonRpcNotification,
  type ListenFilter,
  notificationMethod,
  type RequestId,
  toAcknowledged,
  withSubscriptionId,
} from "@lethe/protocol";

export interface Listener {
  /** What it was granted; empty until then. */
  readonly filter: ListenFilter;
  acknowledge(granted: ListenFilter): void;
  /** Sends what the filter lets through, now or when the reader is ready. */
  offer(method: string, params: JsonObject): void;
  /** Everything it hears of may have changed. */
  offerAll(): void;
}

/** So many different changes are kept for a reader that does not read; the oldest gives way. */
const maxHeld = 1_000;

export function createListener(subscriptionId: RequestId, exchange: Exchange): Listener {
  const held = new Map<string, JsonRpcNotification>();
  let filter: ListenFilter = {};
  let isHolding = true;

  function offer(method: string, params: JsonObject): void {
    const { _meta: _, ...body } = params;
    if (!isWanted(filter, method, body.uri)) return;
    const notification = withSubscriptionId(method, body, subscriptionId);
    if (isHolding) hold(method, body.uri, notification);
    else write(notification);
  }

  function hold(method: string, uri: unknown, notification: JsonRpcNotification): void {
    const key = `${method} ${uri ?? ""}`;
    held.delete(key);
    held.set(key, notification);
    const oldest = held.size > maxHeld ? held.keys().next().value : undefined;
    if (oldest !== undefined) held.delete(oldest);
  }

  function write(notification: JsonRpcNotification): void {
    if (exchange.notify(notification)) return;
    isHolding = true;
    void exchange.drained().then(release);
  }

  function release(): void {
    isHolding = false;
    for (const [key, notification] of held) {
      if (isHolding) return;
      held.delete(key);
      write(notification);
    }
  }

  return {
    get filter() {
      return filter;
    },
    acknowledge(granted) {
      filter = granted;
      isHolding = false;
      write(toAcknowledged(subscriptionId, granted));
    },
    offer,
    offerAll() {
      for (const method of Object.keys(flagOf)) offer(method, {});
      for (const uri of filter.resourceSubscriptions ?? []) offer(notificationMethod.resourceUpdated, { uri });
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
