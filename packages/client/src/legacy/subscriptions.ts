// subscriptions/listen in front of a legacy server (E.2, D-26, D-51): its unsolicited notifications reach whoever asked
// for them, and a resource is watched for as long as anybody wants it.
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
import { createResourceWatch, type SendWatch } from "./resource-subscriptions.ts";
import { createListener, type Listener } from "./subscription.ts";

export interface SubscriptionOptions {
  /** How many subscriptions may be open at once. Default 1,000. */
  maxListens?: number;
  /** How many resources one subscription may watch; more are left out of its acknowledgement. Default 1,000. */
  maxWatchedResources?: number;
}

export interface SubscriptionContext extends SubscriptionOptions {
  readonly open: OpenRequests;
  readonly capabilities: ServerCapabilities;
  readonly send: SendWatch;
  /** `_meta` of the result. */
  readonly meta: JsonObject | undefined;
}

export interface Subscriptions {
  /** How many are open. */
  readonly count: number;
  /** Resolves when the connection is closed on purpose, rejects when it breaks or the caller cancels. */
  listen(request: ModernRequest, exchange: Exchange): Promise<Result>;
  /** False when the notification is none that a subscription could ask for. */
  relay(method: string, params: JsonObject): boolean;
  /** After a new session: the server is asked again to watch what it watched. */
  restore(): Promise<void>;
  /** Something may have been missed: everybody hears that everything may have changed. */
  announceAll(): void;
  /** Ends all: gracefully (E-16), or with an error. */
  end(error?: Error): void;
}

const relayed: ReadonlySet<string> = new Set([
  notificationMethod.toolsChanged,
  notificationMethod.promptsChanged,
  notificationMethod.resourcesChanged,
  notificationMethod.resourceUpdated,
]);

interface Listening {
  readonly listener: Listener;
  end(error?: Error): void;
}

export function createSubscriptions(context: SubscriptionContext): Subscriptions {
  const { capabilities, meta, maxListens = 1_000, maxWatchedResources = 1_000 } = context;
  const watch = createResourceWatch(context.send);
  const listening = new Set<Listening>();

  async function listen(request: ModernRequest, exchange: Exchange): Promise<Result> {
    const wanted = parseListenFilter(request.params);
    if (listening.size >= maxListens) throw new McpError(errorCode.internalError, "too many subscriptions are open");
    const deadline = context.open.begin(request, exchange);
    if (deadline.aborted) {
      context.open.end(deadline);
      throw deadline.reason;
    }
    const listener = createListener(request.id, exchange);
    const { ended, end } = createEnd();
    const entry: Listening = { listener, end };
    deadline.addEventListener("abort", () => end(deadline.reason as Error));
    listening.add(entry);
    const watched = await watchAll(wanted.resourceSubscriptions);
    try {
      listener.acknowledge(toGranted(wanted, watched));
      await ended;
      return { resultType: "complete", _meta: { ...meta, [metaKey.subscriptionId]: request.id } };
    } finally {
      context.open.end(deadline);
      listening.delete(entry);
      for (const uri of watched) watch.release(uri);
    }
  }

  /** What the server refuses is left out: the acknowledgement says what will come (E-11). */
  async function watchAll(uris: readonly string[] = []): Promise<string[]> {
    if (!capabilities.resources?.subscribe) return [];
    const wanted = [...new Set(uris)].slice(0, maxWatchedResources);
    const isWatched = await Promise.all(wanted.map(watch.acquire));
    return wanted.filter((_, index) => isWatched[index]);
  }

  function toGranted(wanted: ListenFilter, watched: string[]): ListenFilter {
    const granted: ListenFilter = {};
    if (wanted.toolsListChanged && capabilities.tools?.listChanged) granted.toolsListChanged = true;
    if (wanted.promptsListChanged && capabilities.prompts?.listChanged) granted.promptsListChanged = true;
    if (wanted.resourcesListChanged && capabilities.resources?.listChanged) granted.resourcesListChanged = true;
    if (watched.length > 0) granted.resourceSubscriptions = watched;
    return granted;
  }

  return {
    listen,
    relay(method, params) {
      if (!relayed.has(method)) return false;
      for (const { listener } of listening) listener.offer(method, params);
      return true;
    },
    get count() {
      return listening.size;
    },
    restore: watch.restore,
    announceAll() {
      for (const { listener } of listening) listener.offerAll();
    },
    end(error) {
      for (const entry of listening) entry.end(error);
    },
  };
}

function createEnd(): { ended: Promise<void>; end: (error?: Error) => void } {
  let end: (error?: Error) => void = () => {};
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => (error ? reject(error) : resolve());
  });
  // Whoever listens may still be waiting for the server when the end comes.
  ended.catch(() => {});
  return { ended, end };
}
