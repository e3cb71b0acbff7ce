// Keeps the catalogs of all upstreams current. Each is read separately and again after its upstream announces a change.
// An upstream that is unreachable keeps its last catalog, so that a failing upstream never empties a list.
import { type ListenFilter, method, notificationMethod } from "@lethe/protocol";
import { createOwnExchange, toOwnRequest } from "../upstreams/connection/own-request.ts";
import type { CatalogSource, LiveCatalogOptions } from "./catalog-source.ts";
import type { CatalogView, ListKind } from "./catalog-view.ts";
import { itemsOf, readCatalog, readPauseOf, type UpstreamCatalog } from "./read-catalog.ts";
import { uniteEras } from "./unite-eras.ts";
import { ViewUpdates } from "./view-updates.ts";

/** The sources and their signals, which are aborted when a source is removed. */
interface Source {
  readonly given: CatalogSource;
  readonly stop: AbortController;
}

interface Reading {
  /** Whether a change arrived during a read, so that another read follows. */
  isStale: boolean;
  done: Promise<void>;
}

/** Pending from the start of a read that the upstream announced. */
interface Rest {
  /** Undefined while the upstream is being read. */
  timer: NodeJS.Timeout | undefined;
  hasMore: boolean;
}

export type { CatalogSource, LiveCatalogOptions };

export class LiveCatalog {
  readonly #sources: Map<string, Source> = new Map();
  readonly #views: ViewUpdates = new ViewUpdates((upstream) => this.catalogOf(upstream));
  readonly #options: LiveCatalogOptions;
  readonly #catalogs: Map<string, UpstreamCatalog> = new Map();
  readonly #readAt: Map<string, number> = new Map();
  readonly #listening: Set<string> = new Set();
  /** Sources to read and listen to again, because they failed or their stream ended. */
  readonly #again: Map<string, { timer: NodeJS.Timeout; delayMs: number }> = new Map();
  /** Sources that were read shortly before, because they announced a change. */
  readonly #resting: Map<string, Rest> = new Map();
  readonly #complaints: Map<string, string> = new Map();
  readonly #reading: Map<string, Reading> = new Map();
  readonly #united: WeakMap<UpstreamCatalog, { legacy: UpstreamCatalog; catalog: UpstreamCatalog }> = new WeakMap();
  /** The lists that upstreams announced as changed since their last read began. */
  readonly #announced: Map<string, Set<ListKind>> = new Map();

  constructor(options: LiveCatalogOptions = {}) {
    this.#options = options;
  }

  /** Replaces the sources and the views. The catalogs of known names stay until they are read again. */
  follow(sources: readonly CatalogSource[], views: readonly CatalogView[]): void {
    const kept = new Set(sources);
    for (const [name, source] of this.#sources) if (!kept.has(source.given)) this.#drop(name, source);
    for (const given of sources) {
      if (!this.#sources.has(given.name)) this.#sources.set(given.name, { given, stop: new AbortController() });
    }
    for (const name of this.#catalogs.keys()) if (!this.#sources.has(name)) this.#catalogs.delete(name);
    this.#views.follow(views);
  }

  #drop(name: string, source: Source): void {
    source.stop.abort();
    if (source.given.legacyEraOf !== undefined) this.#catalogs.delete(name);
    this.#sources.delete(name);
    this.#reading.delete(name);
    this.#readAt.delete(name);
    this.#announced.delete(name);
    this.#listening.delete(name);
    this.#complaints.delete(name);
    clearTimeout(this.#again.get(name)?.timer);
    this.#again.delete(name);
    clearTimeout(this.#resting.get(name)?.timer);
    this.#resting.delete(name);
  }

  /** Returns the catalog of an upstream in both eras, if it was ever read. */
  catalogOf(upstream: string): UpstreamCatalog | undefined {
    const modern = this.#catalogs.get(upstream);
    if (!modern && this.#options.meanwhile) return this.#options.meanwhile(upstream);
    const legacy = this.olderOf(upstream);
    if (!modern || !legacy) return modern;
    const known = this.#united.get(modern);
    if (known?.legacy === legacy) return known.catalog;
    const { catalog, differences } = uniteEras(modern, legacy);
    this.#united.set(modern, { legacy, catalog });
    this.#sources.get(upstream)?.given.onUnited?.(differences);
    return catalog;
  }

  /** Returns the catalog of the older era of an upstream, if it was ever read. */
  olderOf(upstream: string): UpstreamCatalog | undefined {
    return this.#catalogs.get(toLegacySource(upstream)) ?? this.#options.olderOf?.(upstream);
  }

  /** Returns the catalog of the newer era of an upstream, if it was ever read. */
  newerOf(upstream: string): UpstreamCatalog | undefined {
    return this.#catalogs.get(upstream);
  }

  /** Returns why the lists of an upstream are outdated or incomplete. */
  problemsOf(upstream: string): readonly string[] {
    const unread = this.#complaints.get(upstream);
    const { problems = [] } = this.#catalogs.get(upstream) ?? {};
    return unread === undefined ? problems : [toProblem(upstream, unread), ...problems];
  }

  /** Reads an upstream again, for example after a start, and listens for its changes. Never rejects. */
  refresh(name: string): Promise<void> {
    const running = this.#reading.get(name);
    if (running) running.isStale = true;
    return this.read(name);
  }

  /** Returns the running read, or starts a new one. */
  read(name: string): Promise<void> {
    const running = this.#reading.get(name);
    if (running) return running.done;
    const source = this.#sources.get(name);
    if (!source) return Promise.resolve();
    const reading: Reading = { isStale: false, done: Promise.resolve() };
    this.#reading.set(name, reading);
    reading.done = this.#readUntilFresh(source, reading);
    return reading.done;
  }

  /** Call this when a caller requests the lists of these upstreams. Outdated lists are read again in the background. */
  touch(upstreams: readonly string[]): void {
    const { maxAgeMs = 60_000 } = this.#options;
    const now = Date.now();
    for (const name of upstreams) {
      const readAt = this.#readAt.get(name);
      const isKept = this.#sources.get(name)?.given.isKept;
      if (!isKept || readAt === undefined || this.#listening.has(name) || this.#reading.has(name)) continue;
      if (now > Math.max(readAt + maxAgeMs, this.#catalogs.get(name)?.freshUntil ?? 0)) void this.refresh(name);
    }
  }

  /** Call this when an upstream proves not to be as it was read. It is read as if it had announced a change. */
  outdate(name: string): void {
    if (this.#sources.has(name)) this.#hear(name, undefined);
  }

  close(): void {
    for (const [name, source] of this.#sources) this.#drop(name, source);
  }

  async #readUntilFresh(source: Source, reading: Reading): Promise<void> {
    let isRead: boolean;
    do {
      reading.isStale = false;
      isRead = await this.#read(source);
    } while (reading.isStale && !source.stop.signal.aborted);
    if (source.stop.signal.aborted) return;
    this.#reading.delete(source.given.name);
    if (isRead) this.#listen(source);
    else this.#readLater(source);
  }

  async #read({ given, stop }: Source): Promise<boolean> {
    const { name, dispatch, declared, extensions, legacyEraOf: upstream = name } = given;
    const { readTimeoutMs = 10_000, limits } = this.#options;
    this.#readAt.set(name, Date.now());
    const announced = this.#announced.get(name);
    this.#announced.delete(name);
    try {
      const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(readTimeoutMs)]);
      const read = await readCatalog(upstream, dispatch, signal, { limits, declared, extensions });
      if (stop.signal.aborted) return false;
      const catalog = this.#options.toKept?.(given, read) ?? read;
      this.#catalogs.set(name, catalog);
      this.#complaints.delete(name);
      await this.#views.apply({ upstream, announced, items: itemsOf(catalog) });
      if (stop.signal.aborted) return false;
      this.#options.onRead?.(given);
      // Both eras belong to one program: a list that changes in one may have changed in the other.
      const legacy = toLegacySource(name);
      if (announced && this.#readAt.has(legacy) && !this.#listening.has(legacy)) void this.refresh(legacy);
      return true;
    } catch (error) {
      if (!stop.signal.aborted) this.#complain({ name, upstream }, (error as Error).message);
      return false;
    }
  }

  /** Reports each reason once. */
  #complain({ name, upstream }: { name: string; upstream: string }, reason: string): void {
    if (this.#complaints.get(name) === reason) return;
    this.#complaints.set(name, reason);
    this.#options.onProblem?.(toProblem(name, reason), upstream);
  }

  #listen(source: Source): void {
    const { name, dispatch, isKept, isHeard = isKept } = source.given;
    const notifications = toWantedChanges(this.#catalogs.get(name));
    if (!isHeard || !notifications || this.#listening.has(name)) return void this.#again.delete(name);
    this.#listening.add(name);
    const exchange = createOwnExchange({
      signal: source.stop.signal,
      onNotification: ({ method: notified }) => {
        if (notified === notificationMethod.acknowledged) this.#again.delete(name);
        else this.#hear(name, kindOf[notified]);
      },
    });
    /** A stream that ends may have missed changes, so the lists are read again before listening. */
    const again = () => {
      if (source.stop.signal.aborted) return;
      this.#listening.delete(name);
      this.#readLater(source);
    };
    dispatch(toOwnRequest(method.listen, { notifications }), exchange).then(again, again);
  }

  /** Reads immediately, but limits how often an upstream that announces changes continuously is read. */
  #hear(name: string, kind: ListKind | undefined): void {
    const announced = this.#announced.get(name) ?? new Set();
    this.#announced.set(name, announced);
    if (kind) announced.add(kind);
    const resting = this.#resting.get(name);
    if (resting) resting.hasMore = true;
    else this.#readAnnounced(name);
  }

  #readAnnounced(name: string): void {
    const rest: Rest = { timer: undefined, hasMore: false };
    this.#resting.set(name, rest);
    const end = () => {
      this.#resting.delete(name);
      if (rest.hasMore) this.#readAnnounced(name);
    };
    void this.refresh(name).then(() => {
      if (this.#resting.get(name) === rest) rest.timer = setTimeout(end, readPauseOf(this.#catalogs.get(name))).unref();
    });
  }

  #readLater({ given: { name, isKept } }: Source): void {
    if (!isKept) return;
    const before = this.#again.get(name);
    clearTimeout(before?.timer);
    const delayMs = before ? Math.min(longestDelayMs, before.delayMs * 2) : firstDelayMs;
    const timer = setTimeout(() => void this.refresh(name), delayMs * (0.5 + Math.random() / 2)).unref();
    this.#again.set(name, { timer, delayMs });
  }
}

/** Names the source of the older era. Upstream names contain no spaces. */
export function toLegacySource(upstream: string): string {
  return `${upstream} (legacy)`;
}

function toProblem(upstream: string, reason: string): string {
  return `the lists of ${upstream} could not be read: ${reason}`;
}

const kindOf: Readonly<Record<string, ListKind>> = {
  __proto__: null as never,
  [notificationMethod.toolsChanged]: "tools",
  [notificationMethod.promptsChanged]: "prompts",
  [notificationMethod.resourcesChanged]: "resources",
};
const firstDelayMs = 1_000;
const longestDelayMs = 60_000;

function toWantedChanges(catalog: UpstreamCatalog | undefined): ListenFilter | undefined {
  const { tools, prompts, resources } = catalog?.discover.capabilities ?? {};
  const wanted: ListenFilter = {};
  if (tools?.listChanged) wanted.toolsListChanged = true;
  if (prompts?.listChanged) wanted.promptsListChanged = true;
  if (resources?.listChanged) wanted.resourcesListChanged = true;
  return Object.keys(wanted).length > 0 ? wanted : undefined;
}
