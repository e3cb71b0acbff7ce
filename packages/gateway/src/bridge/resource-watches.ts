// Which resources of which sessions are watched (J-60): once for each, however many want to hear of it, and for as long as
// anybody does. When an upstream comes back it is asked again, and everything that was watched counts as updated.
import type { ListenScope } from "./standing-listen.ts";
import { WatchGroup } from "./watch-group.ts";

/** Hears the URI that was asked for, whatever part of it was updated (E-13). */
export type OnUpdate = (uri: string) => void;

export type WatchScope = ListenScope;

export interface Watch {
  /** What the upstream grants. */
  readonly uris: readonly string[];
  release(): void;
}

export interface ResourceWatches {
  /** Never rejects: an upstream that cannot be asked grants nothing. */
  acquire(scope: WatchScope, uris: readonly string[], onUpdate: OnUpdate): Promise<Watch>;
  readonly size: number;
  close(): void;
}

interface Watched {
  readonly group: WatchGroup;
  /** How often each wants to hear of it. */
  readonly listeners: Map<OnUpdate, number>;
}

export interface WatchOptions {
  /** URIs in all, each counted once per session. Default 10,000. */
  maxWatched?: number;
}

const nothing: Watch = { uris: [], release: () => {} };

export function createResourceWatches({ maxWatched = 10_000 }: WatchOptions = {}): ResourceWatches {
  const watched = new Map<string, Watched>();
  const groups = new Set<WatchGroup>();

  async function acquire(scope: WatchScope, uris: readonly string[], onUpdate: OnUpdate): Promise<Watch> {
    const owner = await ownerOf(scope);
    if (owner === undefined) return nothing;
    const keyOf = (uri: string) => JSON.stringify([owner, uri]);
    const room = Math.max(0, maxWatched - watched.size);
    const fresh = uris.filter((uri) => !watched.has(keyOf(uri))).slice(0, room);
    if (fresh.length > 0) begin(scope, fresh, keyOf);
    const grants = uris.map(async (uri) => {
      const entry = watched.get(keyOf(uri));
      if (!entry) return false;
      count(entry, onUpdate, 1);
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

  function begin(scope: WatchScope, uris: readonly string[], keyOf: (uri: string) => string): void {
    const group = new WatchGroup({
      ...scope,
      uris,
      onUpdate(uri) {
        for (const tell of watched.get(keyOf(uri))?.listeners.keys() ?? []) tell(uri);
      },
    });
    groups.add(group);
    for (const uri of uris) watched.set(keyOf(uri), { group, listeners: new Map() });
  }

  function release(key: string, uri: string, onUpdate: OnUpdate): void {
    const entry = watched.get(key);
    if (!entry) return;
    count(entry, onUpdate, -1);
    if (entry.listeners.size > 0) return;
    watched.delete(key);
    entry.group.drop(uri);
    if (entry.group.isEmpty) groups.delete(entry.group);
  }

  return {
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
async function ownerOf({ sessions, callerId, handle }: WatchScope): Promise<string | undefined> {
  const affinity = await sessions.judged().catch(() => undefined);
  const caller = JSON.stringify([sessions.name, callerId ?? null]);
  if (affinity === "shared") return sessions.name;
  if (affinity === "caller") return caller;
  return affinity === "handle" && handle !== undefined ? `${caller} ${handle}` : undefined;
}

function count({ listeners }: Watched, onUpdate: OnUpdate, step: 1 | -1): void {
  const sum = (listeners.get(onUpdate) ?? 0) + step;
  if (sum > 0) listeners.set(onUpdate, sum);
  else listeners.delete(onUpdate);
}
