// Subscriptions to resources at a legacy server: one per resource, however many subscribers it has.
import { SparseMap } from "../call/sparse-collections.ts";

export interface ResourceSubscriptions {
  /** Resolves to false when the server refused. Each acquire that resolved to true needs one release. */
  acquire(uri: string): Promise<boolean>;
  release(uri: string): void;
  /** Subscribes again in a new session. */
  restore(): Promise<void>;
}

interface Entry {
  count: number;
  /** Settles after the latest change, so that a subscribe never overtakes an unsubscribe. True when subscribed. */
  settled: Promise<boolean>;
}

export type SendSubscription = (
  method: "resources/subscribe" | "resources/unsubscribe",
  uri: string,
) => Promise<unknown>;

export function createResourceSubscriptions(send: SendSubscription): ResourceSubscriptions {
  const entries = new SparseMap<string, Entry>();

  async function acquire(uri: string): Promise<boolean> {
    const entry = entries.get(uri) ?? { count: 0, settled: Promise.resolve(false) };
    entries.set(uri, entry);
    entry.count += 1;
    entry.settled = entry.settled.then((isSubscribed) => isSubscribed || subscribe(uri));
    const isSubscribed = await entry.settled;
    if (!isSubscribed) drop(uri, entry);
    return isSubscribed;
  }

  function release(uri: string): void {
    const entry = entries.get(uri);
    if (!entry) return;
    entry.settled = entry.settled.then(async (isSubscribed) => {
      if (entry.count > 1 || !isSubscribed) return isSubscribed;
      await send("resources/unsubscribe", uri).catch(() => {});
      return false;
    });
    void entry.settled.then(() => drop(uri, entry));
  }

  function drop(uri: string, entry: Entry): void {
    entry.count -= 1;
    if (entry.count === 0) entries.delete(uri);
  }

  function subscribe(uri: string): Promise<boolean> {
    return send("resources/subscribe", uri).then(
      () => true,
      () => false,
    );
  }

  async function restore(): Promise<void> {
    for (const [uri, entry] of entries) entry.settled = entry.settled.then(() => subscribe(uri));
    await Promise.all([...entries.values()].map(({ settled }) => settled));
  }

  return { acquire, release, restore };
}
