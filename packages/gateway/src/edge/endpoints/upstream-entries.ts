// The upstream entries of a gateway: those of the active configuration, and those of earlier ones that still finish calls.
import type { GatewayPendingCalls } from "../../calls/pending-call.ts";
import type { UpstreamConfig } from "../../config/upstream-config.ts";
import type { UpstreamSessions } from "../../upstreams/sessions/upstream-sessions.ts";
import type { UpstreamEntry } from "./upstream-entry.ts";

export interface UpstreamChanges {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** Resolves when the new upstreams have been started and read, or have failed. */
  readonly started: Promise<void>;
  /** Resolves when each of them has also been probed. */
  readonly settled: Promise<void>;
}

export interface UpstreamEntriesOptions {
  readonly pendingCalls: GatewayPendingCalls;
  create(upstream: UpstreamConfig): UpstreamEntry;
  /** Called with the active entries, in the order of the configuration and of the lists. */
  onChange(entries: readonly UpstreamEntry[]): void;
  /** Reads the lists of a running upstream. Never rejects. */
  read(upstream: string): Promise<void>;
}

export interface UpstreamEntries {
  /** The upstreams in the order of the configuration. Changes with it. */
  readonly upstreams: ReadonlyMap<string, UpstreamSessions>;
  entryOf(name: string): UpstreamEntry | undefined;
  /** Upstreams of earlier configurations that still finish calls. */
  readonly retiring: readonly UpstreamSessions[];
  /** Returns the retiring sessions of one upstream. */
  retiredOf(name: string): UpstreamSessions[];
  reconfigure(upstreams: readonly UpstreamConfig[], options?: { graceMs?: number }): UpstreamChanges;
  /** Resolves once: when every upstream of a configuration that is still active has been started and read, or has failed. */
  readonly begun: Promise<void>;
  /** Ends the streams of the single endpoints. */
  endStreams(): void;
  /** Ends connections and processes. */
  close(): Promise<void>;
}

/** The longest possible call, in ms: connections limit it. */
const longestCallMs = 3_600_000;

export function createUpstreamEntries({
  pendingCalls,
  create,
  onChange,
  read,
}: UpstreamEntriesOptions): UpstreamEntries {
  const entries = new Map<string, UpstreamEntry>();
  const upstreams = new Map<string, UpstreamSessions>();
  const retiring = new Map<UpstreamSessions, Promise<void>>();
  const starts = new WeakMap<UpstreamEntry, Promise<void>>();
  let begin: () => void = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });

  function reconfigure(wanted: readonly UpstreamConfig[], { graceMs = 30_000 } = {}): UpstreamChanges {
    const before = new Map(entries);
    const { next, fresh } = planEntries(before, wanted, create);
    install(next);
    for (const [name, entry] of before) if (next.get(name) !== entry) retire(entry, graceMs);
    const names = fresh.map(({ sessions }) => sessions.name);
    for (const entry of fresh) starts.set(entry, start(entry));
    const started = startedOf(fresh);
    void startedOf(next.values()).then(() => [...next.values()].every(isActive) && begin());
    return {
      added: names.filter((name) => !before.has(name)),
      changed: names.filter((name) => before.has(name)),
      removed: [...before.keys()].filter((name) => !next.has(name)),
      started,
      settled: started.then(() => Promise.all(fresh.map(({ sessions }) => sessions.settled))).then(() => {}),
    };
  }

  function install(next: ReadonlyMap<string, UpstreamEntry>): void {
    entries.clear();
    upstreams.clear();
    for (const [name, entry] of next) {
      entries.set(name, entry);
      upstreams.set(name, entry.sessions);
    }
    onChange([...next.values()]);
  }

  /** Ends the streams of its own endpoint. Listeners of the merged endpoint are notified about changed lists. */
  function retire({ sessions, endpoint, close }: UpstreamEntry, graceMs: number): void {
    void endpoint.servable.close?.();
    const isReplaced = upstreams.has(sessions.name);
    // Nothing can reach the calls of an upstream that is no longer served.
    if (!isReplaced) for (const before of retiredOf(sessions.name)) void before.retire({ graceMs });
    const longestMs = Math.max(longestCallMs, pendingCalls.ttlMs);
    const retired = sessions.retire(isReplaced ? { graceMs: longestMs, keepsWaiting: true } : { graceMs }).then(() => {
      close();
      retiring.delete(sessions);
    });
    retiring.set(sessions, retired);
  }

  function retiredOf(name: string): UpstreamSessions[] {
    return [...retiring.keys()].filter((sessions) => sessions.name === name);
  }

  /** Never rejects. */
  function start({ sessions }: UpstreamEntry): Promise<void> {
    return sessions.start().then(
      () => read(sessions.name),
      () => {},
    );
  }

  async function startedOf(started: Iterable<UpstreamEntry>): Promise<void> {
    await Promise.all([...started].map((entry) => starts.get(entry)));
  }

  function isActive(entry: UpstreamEntry): boolean {
    return entries.get(entry.sessions.name) === entry;
  }

  return {
    upstreams,
    entryOf: (name) => entries.get(name),
    get retiring() {
      return [...retiring.keys()];
    },
    retiredOf,
    reconfigure,
    begun,
    endStreams() {
      for (const { endpoint } of entries.values()) void endpoint.servable.close?.();
    },
    async close() {
      const all = [...entries.values()];
      const ending = [...retiring.values()];
      const open = [...upstreams.values(), ...retiring.keys()];
      await Promise.all(open.map((sessions) => sessions.close()));
      for (const entry of all) entry.close();
      await Promise.all(ending);
    },
  };
}

/** Keeps the entries whose configuration is unchanged, and creates the others. */
function planEntries(
  before: ReadonlyMap<string, UpstreamEntry>,
  wanted: readonly UpstreamConfig[],
  create: UpstreamEntriesOptions["create"],
): { next: ReadonlyMap<string, UpstreamEntry>; fresh: readonly UpstreamEntry[] } {
  const next = new Map<string, UpstreamEntry>();
  const fresh: UpstreamEntry[] = [];
  for (const upstream of wanted) {
    const known = before.get(upstream.name);
    const isSame = known && JSON.stringify(known.sessions.config) === JSON.stringify(upstream);
    const entry = isSame ? known : create(upstream);
    if (!isSame) fresh.push(entry);
    next.set(upstream.name, entry);
  }
  return { next, fresh };
}
