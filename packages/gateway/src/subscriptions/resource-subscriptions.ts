// Subscriptions to resources of upstreams. The gateway subscribes once per session and resource, for as long as it has a
// listener. When an upstream comes back, the gateway subscribes again and reports every resource as updated.
import { type Dispatch, type KnownOptions, tooManyRequests } from "@lethe/protocol";
import { defaultLimits } from "../config/schema/defaults.ts";
import { eraOf, sameEra } from "../upstreams/sessions/era-choice.ts";
import type { UpstreamSessions } from "../upstreams/sessions/upstream-sessions.ts";
import { createCallerQuota } from "./caller-quota.ts";
import { createListenerSet, type ListenerSet } from "./listener-set.ts";
import { ResourceStream } from "./resource-stream.ts";
import { inSessionOf, type SubscriptionScope } from "./upstream-listen.ts";

/** Called with the subscribed URI, also when a sub-resource was updated. */
export type OnUpdate = (uri: string) => void;

export interface ResourceSubscription {
  /** The URIs that the upstream granted. */
  readonly uris: readonly string[];
  release(): void;
}

export interface ResourceSubscriptions {
  /** Reserves room for the URIs of one stream. Throws McpError with `data.retryAfterMs` when the caller has too many. */
  reserve(callerId: string | undefined, count: number): () => void;
  /** Never rejects: an upstream that cannot be reached grants nothing. */
  acquire(scope: SubscriptionScope, uris: readonly string[], onUpdate: OnUpdate): Promise<ResourceSubscription>;
  readonly size: number;
  /** The URIs of the caller that has subscribed to most. */
  readonly mostOfCaller: number;
  close(): void;
}

interface Subscribed {
  readonly stream: ResourceStream;
  readonly listeners: ListenerSet<string>;
}

export interface ResourceSubscriptionLimits {
  /** Subscribed URIs in total, each counted once per session. Default 10,000. */
  maxWatched?: number;
  /** Subscribed URIs of one caller, each counted once per stream. Default 1,000. */
  maxWatchedPerCaller?: number;
}

export const knownResourceSubscriptionLimits: KnownOptions<ResourceSubscriptionLimits> = {
  maxWatched: true,
  maxWatchedPerCaller: true,
};

export interface ResourceSubscriptionsOptions extends ResourceSubscriptionLimits {
  /** The current sessions of an upstream, which change with the configuration. Undefined for a removed upstream. */
  currentOf(upstream: string): UpstreamSessions | undefined;
}

/** How long a rejected caller should wait, in ms. */
const retryAfterMs = 5_000;
const nothing: ResourceSubscription = { uris: [], release: () => {} };

export function createResourceSubscriptions(options: ResourceSubscriptionsOptions): ResourceSubscriptions {
  const { maxWatched = 10_000, maxWatchedPerCaller = defaultLimits.maxWatchedPerCaller, currentOf } = options;
  const quota = createCallerQuota(maxWatchedPerCaller);
  const subscribed = new Map<string, Subscribed>();
  const streams = new Set<ResourceStream>();

  function reserve(callerId: string | undefined, count: number): () => void {
    if (quota.take(callerId, count)) return () => quota.giveBack(callerId, count);
    throw tooManyRequests(`at most ${maxWatchedPerCaller} watched resources of one caller at a time`, retryAfterMs);
  }

  async function acquire(
    scope: SubscriptionScope,
    uris: readonly string[],
    onUpdate: OnUpdate,
  ): Promise<ResourceSubscription> {
    const owner = await ownerOf(scope);
    if (owner === undefined) return nothing;
    const keyOf = (uri: string) => JSON.stringify([owner, uri]);
    const room = Math.max(0, maxWatched - subscribed.size);
    const fresh = uris.filter((uri) => !subscribed.has(keyOf(uri))).slice(0, room);
    if (fresh.length > 0) begin(scope, owner, fresh, keyOf);
    const grants = uris.map(async (uri) => {
      const entry = subscribed.get(keyOf(uri));
      if (!entry) return false;
      entry.listeners.join(onUpdate);
      const isGranted = (await entry.stream.granted).has(uri);
      if (!isGranted) release(keyOf(uri), uri, onUpdate);
      return isGranted;
    });
    const isGranted = await Promise.all(grants);
    const granted = uris.filter((_, index) => isGranted[index]);
    return {
      uris: granted,
      release() {
        for (const uri of granted) release(keyOf(uri), uri, onUpdate);
      },
    };
  }

  function begin(
    scope: SubscriptionScope,
    owner: string,
    uris: readonly string[],
    keyOf: (uri: string) => string,
  ): void {
    const { callerId } = scope;
    const stream = new ResourceStream({
      uris,
      caller: callerId === undefined ? undefined : { id: callerId },
      dispatch: dispatchOf(scope, owner),
      onUpdate: (uri) => subscribed.get(keyOf(uri))?.listeners.tell(uri),
    });
    streams.add(stream);
    for (const uri of uris) subscribed.set(keyOf(uri), { stream, listeners: createListenerSet() });
  }

  /** Fails when the listeners do not share a session any more. */
  function dispatchOf(scope: SubscriptionScope, owner: string): Dispatch {
    return async (request, exchange) => {
      const main = currentOf(scope.sessions.name);
      const sessions = main && sameEra(main, scope.sessions);
      const now = sessions && { ...scope, sessions };
      if (!now || (await ownerOf(now)) !== owner)
        throw new Error("the listeners do not share a session of this upstream any more");
      return inSessionOf(now)(request, exchange);
    };
  }

  function release(key: string, uri: string, onUpdate: OnUpdate): void {
    const entry = subscribed.get(key);
    if (!entry) return;
    entry.listeners.leave(onUpdate);
    if (!entry.listeners.isEmpty) return;
    subscribed.delete(key);
    entry.stream.drop(uri);
    if (entry.stream.isEmpty) streams.delete(entry.stream);
  }

  return {
    reserve,
    acquire,
    get size() {
      return subscribed.size;
    },
    get mostOfCaller() {
      return quota.fullest;
    },
    close() {
      for (const stream of streams) stream.close();
      streams.clear();
      subscribed.clear();
    },
  };
}

/** Identifies the session that listeners share: callers never share a session that belongs to one. Undefined without a session. */
async function ownerOf({ sessions, callerId, handle, declared }: SubscriptionScope): Promise<string | undefined> {
  const affinity = await sessions.affinityKnown().catch(() => undefined);
  const era = eraOf(sessions) ?? null;
  const key = declared?.key ?? "";
  const caller = JSON.stringify([sessions.name, era, callerId ?? null, key]);
  if (affinity === "shared") return JSON.stringify([sessions.name, era, key]);
  if (affinity === "caller") return caller;
  return affinity === "handle" && handle !== undefined ? `${caller} ${handle}` : undefined;
}
