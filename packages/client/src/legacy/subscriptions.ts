// subscriptions/listen in front of a legacy server: forwards unsolicited notifications to the subscriptions that asked for them,
// and stays subscribed to a resource while a subscription needs it.
import {
  type Exchange,
  errorCode,
  type JsonObject,
  type ListenFilter,
  McpError,
  type ModernRequest,
  metaKey,
  notificationMethod,
  parseListenFilter,
  type Result,
  type ServerCapabilities,
} from "@lethe/protocol";
import type { OpenRequests } from "../call/open-requests.ts";
import { SparseSet } from "../call/sparse-collections.ts";
import { createResourceSubscriptions, type SendSubscription } from "./resource-subscriptions.ts";
import { createSubscription, type Subscription } from "./subscription.ts";

export interface SubscriptionOptions {
  /** How many subscriptions may be open at once. Default 1,000. */
  maxListens?: number;
  /** How many resources one subscription may have; more are left out of its acknowledgement. Default 1,000. */
  maxWatchedResources?: number;
}

export interface SubscriptionContext extends SubscriptionOptions {
  readonly open: OpenRequests;
  readonly capabilities: ServerCapabilities;
  readonly send: SendSubscription;
  /** `_meta` of the result. */
  readonly meta: JsonObject | undefined;
}

export interface Subscriptions {
  /** How many subscriptions are open. */
  count(): number;
  /** Resolves when the connection is closed on purpose. Rejects when it breaks or the caller cancels. */
  listen(request: ModernRequest, exchange: Exchange): Promise<Result>;
  /** Returns false for a notification that no subscription can ask for. */
  relay(method: string, params: JsonObject): boolean;
  /** Subscribes to the resources again in a new session. */
  restore(): Promise<void>;
  /** Reports a change of everything to all subscriptions, because notifications may have been missed. */
  announceAll(): void;
  /** Ends all subscriptions: gracefully, or with an error. */
  end(error?: Error): void;
}

const relayed: ReadonlySet<string> = new Set([
  notificationMethod.toolsChanged,
  notificationMethod.promptsChanged,
  notificationMethod.resourcesChanged,
  notificationMethod.resourceUpdated,
]);

interface OpenSubscription {
  readonly subscription: Subscription;
  end(error?: Error): void;
}

export function createSubscriptions(context: SubscriptionContext): Subscriptions {
  const { open, capabilities, meta, maxListens = 1_000, maxWatchedResources = 1_000 } = context;
  const resources = createResourceSubscriptions(context.send);
  const openSubscriptions = new SparseSet<OpenSubscription>();

  async function listen(request: ModernRequest, exchange: Exchange): Promise<Result> {
    const wanted = parseListenFilter(request.params);
    if (openSubscriptions.size >= maxListens)
      throw new McpError(errorCode.internalError, "too many subscriptions are open");
    const deadline = open.begin(request, exchange);
    if (deadline.aborted) {
      open.end(deadline);
      throw deadline.reason;
    }
    const subscription = createSubscription(request.id, exchange);
    const { ended, end } = createEnd();
    const entry: OpenSubscription = { subscription, end };
    deadline.addEventListener("abort", () => end(deadline.reason as Error));
    openSubscriptions.add(entry);
    const subscribed = await subscribeAll(wanted.resourceSubscriptions);
    try {
      subscription.acknowledge(toGranted(wanted, subscribed));
      await ended;
      return { resultType: "complete", _meta: { ...meta, [metaKey.subscriptionId]: request.id } };
    } finally {
      open.end(deadline);
      openSubscriptions.delete(entry);
      for (const uri of subscribed) resources.release(uri);
    }
  }

  /** Leaves out resources that the server refuses, so that the acknowledgement lists what will be sent. */
  async function subscribeAll(uris: readonly string[] = []): Promise<string[]> {
    if (!capabilities.resources?.subscribe) return [];
    const wanted = [...new Set(uris)].slice(0, maxWatchedResources);
    const isSubscribed = await Promise.all(wanted.map(resources.acquire));
    return wanted.filter((_, index) => isSubscribed[index]);
  }

  function toGranted(wanted: ListenFilter, subscribed: string[]): ListenFilter {
    const granted: ListenFilter = {};
    if (wanted.toolsListChanged && capabilities.tools?.listChanged) granted.toolsListChanged = true;
    if (wanted.promptsListChanged && capabilities.prompts?.listChanged) granted.promptsListChanged = true;
    if (wanted.resourcesListChanged && capabilities.resources?.listChanged) granted.resourcesListChanged = true;
    if (subscribed.length > 0) granted.resourceSubscriptions = subscribed;
    return granted;
  }

  return {
    listen,
    relay(method, params) {
      if (!relayed.has(method)) return false;
      for (const { subscription } of openSubscriptions) subscription.offer(method, params);
      return true;
    },
    count: () => openSubscriptions.size,
    restore: resources.restore,
    announceAll() {
      for (const { subscription } of openSubscriptions) subscription.offerAll();
    },
    end(error) {
      for (const entry of openSubscriptions) entry.end(error);
    },
  };
}

function createEnd(): { ended: Promise<void>; end: (error?: Error) => void } {
  let end: (error?: Error) => void = () => {};
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => (error ? reject(error) : resolve());
  });
  // The subscription may still wait for the server when it ends.
  ended.catch(() => {});
  return { ended, end };
}
