// Changes the upstreams of a gateway: creates the entries of a new configuration, and retires those that it removes or replaces.
import type { GatewayPendingCalls } from "../../calls/pending-call.ts";
import type { UpstreamConfig } from "../../config/upstream-config.ts";
import type { UpstreamEntry } from "./upstream-entry.ts";
import type { UpstreamTable } from "./upstream-table.ts";

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
  readonly table: UpstreamTable;
  readonly pendingCalls: GatewayPendingCalls;
  create(upstream: UpstreamConfig): UpstreamEntry;
  /** Called with the active entries, in the order of the configuration and of the lists. */
  onChange(entries: readonly UpstreamEntry[]): void;
  /** Reads the lists of a running upstream. Never rejects. */
  read(upstream: string): Promise<void>;
}

export interface UpstreamEntries {
  reconfigure(upstreams: readonly UpstreamConfig[], options?: { graceMs?: number }): UpstreamChanges;
  /** Ends the streams of the single endpoints. */
  endStreams(): void;
  /** Ends connections and processes. */
  close(): Promise<void>;
}

/** The longest possible call, in ms: connections limit it. */
const longestCallMs = 3_600_000;

export function createUpstreamEntries({
  table,
  pendingCalls,
  create,
  onChange,
  read,
}: UpstreamEntriesOptions): UpstreamEntries {
  const starts = new WeakMap<UpstreamEntry, Promise<void>>();

  function reconfigure(wanted: readonly UpstreamConfig[], { graceMs = 30_000 } = {}): UpstreamChanges {
    const before = new Map(table.entries);
    const { next, fresh } = planEntries(before, wanted, create);
    table.replace(next);
    onChange([...next.values()]);
    for (const [name, entry] of before) if (next.get(name) !== entry) retire(entry, graceMs);
    const names = fresh.map(({ sessions }) => sessions.name);
    for (const entry of fresh) starts.set(entry, start(entry));
    const started = startedOf(fresh);
    void startedOf(next.values()).then(
      () => [...next.values()].every((entry) => table.isActive(entry)) && table.begin(),
    );
    return {
      added: names.filter((name) => !before.has(name)),
      changed: names.filter((name) => before.has(name)),
      removed: [...before.keys()].filter((name) => !next.has(name)),
      started,
      settled: started.then(() => Promise.all(fresh.map(({ sessions }) => sessions.settled))).then(() => {}),
    };
  }

  /** Ends the streams of its own endpoint. Listeners of the merged endpoint are notified about changed lists. */
  function retire(entry: UpstreamEntry, graceMs: number): void {
    const { sessions, endpoint } = entry;
    void endpoint.servable.close?.();
    const isReplaced = table.entries.has(sessions.name);
    // Nothing can reach the calls of an upstream that is no longer served.
    if (!isReplaced) for (const before of table.retiredOf(sessions.name)) void before.retire({ graceMs });
    const longestMs = Math.max(longestCallMs, pendingCalls.ttlMs);
    const retired = sessions.retire(isReplaced ? { graceMs: longestMs, keepsWaiting: true } : { graceMs });
    table.addRetiring(
      sessions,
      retired.then(() => entry.close()),
    );
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

  return {
    reconfigure,
    endStreams() {
      for (const { endpoint } of table.entries.values()) void endpoint.servable.close?.();
    },
    async close() {
      const all = [...table.entries.values()];
      const ending = [...table.retiring.values()];
      const open = [...table.upstreams.values(), ...table.retiring.keys()];
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
