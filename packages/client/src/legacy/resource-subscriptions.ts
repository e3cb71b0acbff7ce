// Which resources a legacy server is asked to watch (D-26): once for each, however many want to hear of it.

export interface ResourceWatch {
  /** False when the server refused. Each acquire that gave true is followed by one release. */
  acquire(uri: string): Promise<boolean>;
  release(uri: string): void;
  /** After the server has forgotten us. */
  restore(): Promise<void>;
}

interface Entry {
  count: number;
  /** The end of the latest change, so that a subscribe never overtakes an unsubscribe. True when subscribed. */
  settled: Promise<boolean>;
}

export type SendWatch = (method: "resources/subscribe" | "resources/unsubscribe", uri: string) => Promise<unknown>;

export function createResourceWatch(send: SendWatch): ResourceWatch {
  const entries = new Map<string, Entry>();

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
