// Which resources of which sessions are watched (J-60): once for each, however many want to hear of it, and for as long as
// anybody does. When an upstream comes back it is asked again, and everything that was watched counts as updated.
import { type Dispatch, tooManyRequests } from "@lethe/protocol";
import { createCallerQuota } from "../calls/caller-quota.ts";
import { eraOf, sameEra } from "../upstreams/sessions/era-choice.ts";
import type { UpstreamSessions } from "../upstreams/sessions/upstream-sessions.ts";
import { createListenerSet, type ListenerSet } from "./listener-set.ts";
import { ResourceStream } from "./resource-stream.ts";
import { inSessionOf, type SubscriptionScope } from "./upstream-listen.ts";

/** Hears the URI that was asked for, whatever part of it was updated (E-13). */
export type OnUpdate = (uri: string) => void;

export interface ResourceSubscription {
  /** What the upstream grants. */
  readonly uris: readonly string[];
  release(): void;
}

export interface ResourceSubscriptions {
  /** Room for what one stream of a caller asks for. Throws McpError with `data.retryAfterMs` when that is too much. */
  reserve(callerId: string | undefined, count: number): () => void;
  /** Never rejects: an upstream that cannot be asked grants nothing. */
  acquire(scope: SubscriptionScope, uris: readonly string[], onUpdate: OnUpdate): Promise<ResourceSubscription>;
  readonly size: number;
  close(): void;
}

interface Watched {
  readonly group: ResourceStream;
  readonly audience: ListenerSet<string>;
}

export interface ResourceSubscriptionLimits {
  /** URIs in all, each counted once per session. Default 10,000. */
  maxWatched?: number;
  /** URIs of one caller, each counted once per stream. Default 1,000. */
  maxWatchedPerCaller?: number;
}

export interface ResourceSubscriptionsOptions extends ResourceSubscriptionLimits {
  /** The sessions of an upstream at this moment: a changed configuration brings others. Undefined when it is gone. */
  currentOf(upstream: string): UpstreamSessions | undefined;
}

/** How long a refused caller should wait, in ms. */
const retryAfterMs = 5_000;
const nothing: ResourceSubscription = { uris: [], release: () => {} };

export function createResourceSubscriptions(options: ResourceSubscriptionsOptions): ResourceSubscriptions {
  const { maxWatched = 10_000, maxWatchedPerCaller = 1_000, currentOf } = options;
  const quota = createCallerQuota(maxWatchedPerCaller);
  const watched = new Map<string, Watched>();
  const groups = new Set<ResourceStream>();

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
    const room = Math.max(0, maxWatched - watched.size);
    const fresh = uris.filter((uri) => !watched.has(keyOf(uri))).slice(0, room);
    if (fresh.length > 0) begin(scope, owner, fresh, keyOf);
    const grants = uris.map(async (uri) => {
      const entry = watched.get(keyOf(uri));
      if (!entry) return false;
      entry.audience.join(onUpdate);
      const isGranted = (await entry.group.granted).has(uri);
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
    const group = new ResourceStream({
      uris,
      caller: callerId === undefined ? undefined : { id: callerId },
      dispatch: dispatchOf(scope, owner),
      onUpdate: (uri) => watched.get(keyOf(uri))?.audience.tell(uri),
    });
    groups.add(group);
    for (const uri of uris) watched.set(keyOf(uri), { group, audience: createListenerSet() });
  }

  /** Fails where those who watch together do not share a session any more. */
  function dispatchOf(scope: SubscriptionScope, owner: string): Dispatch {
    return async (request, exchange) => {
      const main = currentOf(scope.sessions.name);
      const sessions = main && sameEra(main, scope.sessions);
      const now = sessions && { ...scope, sessions };
      if (!now || (await ownerOf(now)) !== owner) throw new Error("the sessions of this upstream are others now");
      return inSessionOf(now)(request, exchange);
    };
  }

  function release(key: string, uri: string, onUpdate: OnUpdate): void {
    const entry = watched.get(key);
    if (!entry) return;
    entry.audience.leave(onUpdate);
    if (!entry.audience.isEmpty) return;
    watched.delete(key);
    entry.group.drop(uri);
    if (entry.group.isEmpty) groups.delete(entry.group);
  }

  return {
    reserve,
    acquire,
    get size() {
      return watched.size;
    },
    close() {
      for (const group of groups) group.close();
      groups.clear();
      watched.clear();
    },
  };
}

/** Whose session it is: what one caller began is not watched by another. Undefined where no session can be meant. */
async function ownerOf({ sessions, callerId, handle }: SubscriptionScope): Promise<string | undefined> {
  const affinity = await sessions.affinityKnown().catch(() => undefined);
  const era = eraOf(sessions) ?? null;
  const caller = JSON.stringify([sessions.name, era, callerId ?? null]);
  if (affinity === "shared") return JSON.stringify([sessions.name, era]);
  if (affinity === "caller") return caller;
  return affinity === "handle" && handle !== undefined ? `${caller} ${handle}` : undefined;
}
