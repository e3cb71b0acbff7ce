// The catalogues of all upstreams as they are now: each read on its own, kept until the upstream says that it changed.
// An upstream that cannot be reached keeps its last good catalogue, so that one bad upstream never empties a list.
import { type Dispatch, type ListenFilter, method, notificationMethod } from "@lethe/protocol";
import { createOwnExchange, toOwnRequest } from "../upstreams/connection/own-request.ts";
import type { EraDifferences } from "../upstreams/sessions/era-differences.ts";
import type { CatalogView, ListKind } from "./catalog-view.ts";
import type { ListLimits } from "./list-limits.ts";
import { readCatalog, type UpstreamCatalog } from "./read-catalog.ts";
import { itemsOf, readPauseOf } from "./read-pause.ts";
import { Slices } from "./slices.ts";
import { uniteEras } from "./unite-eras.ts";

export interface CatalogSource {
  readonly name: string;
  /** Of the second connection: the upstream whose older era this is. It is read when `read` is called. */
  readonly legacyEraOf?: string;
  /** Told what only one of the two eras offers, when both were read. */
  onUnited?(differences: EraDifferences): void;
  readonly dispatch: Dispatch;
  /** False for one that is not to be kept running for our sake: it is read when it is started for somebody. */
  readonly isKept: boolean;
}

export interface LiveCatalogOptions {
  /** How long one upstream may take to be read, in ms. Default 10,000. */
  readTimeoutMs?: number;
  /**
   * The catalogue of an upstream that promises nothing and tells of no changes is read again when it is asked for and this
   * old, in ms. Default 60,000.
   */
  maxAgeMs?: number;
  /** How much is kept of the lists of one upstream. */
  limits?: ListLimits;
  onProblem?(problem: string, upstream: string): void;
}

/** What is read; aborted when it is not followed any more. */
interface Source {
  readonly given: CatalogSource;
  readonly stop: AbortController;
}

interface ViewUpdate {
  readonly upstream: string;
  readonly announced: ReadonlySet<ListKind> | undefined;
  /** How many the lists of the upstream have. */
  readonly items: number;
}

interface Reading {
  /** A change came while the upstream was read: it is read once more. */
  isStale: boolean;
  done: Promise<void>;
}

/** Lasts from the beginning of a reading that an upstream has announced. */
interface Rest {
  /** Undefined while the upstream is read. */
  timer: NodeJS.Timeout | undefined;
  hasMore: boolean;
}

export class LiveCatalog {
  readonly #sources: Map<string, Source> = new Map();
  #views: readonly CatalogView[] = [];
  readonly #options: LiveCatalogOptions;
  readonly #catalogs: Map<string, UpstreamCatalog> = new Map();
  readonly #readAt: Map<string, number> = new Map();
  readonly #listening: Set<string> = new Set();
  /** Those that are to be read, and listened to, again: they failed, or their stream has ended. */
  readonly #again: Map<string, { timer: NodeJS.Timeout; delayMs: number }> = new Map();
  /** Those that were read for what they announced a moment ago. */
  readonly #resting: Map<string, Rest> = new Map();
  readonly #complaints: Map<string, string> = new Map();
  readonly #reading: Map<string, Reading> = new Map();
  readonly #united: WeakMap<UpstreamCatalog, { legacy: UpstreamCatalog; catalog: UpstreamCatalog }> = new WeakMap();
  /** What upstreams said has changed since their last reading began. */
  readonly #announced: Map<string, Set<ListKind>> = new Map();

  constructor(options: LiveCatalogOptions = {}) {
    this.#options = options;
  }

  /** From now on these are read, and seen through these views. What was read of a name stays until it is read anew. */
  follow(sources: readonly CatalogSource[], views: readonly CatalogView[]): void {
    for (const [name, source] of this.#sources) if (!sources.includes(source.given)) this.#drop(name, source);
    for (const given of sources) {
      if (!this.#sources.has(given.name)) this.#sources.set(given.name, { given, stop: new AbortController() });
    }
    for (const name of this.#catalogs.keys()) if (!this.#sources.has(name)) this.#catalogs.delete(name);
    this.#views = views;
    for (const view of views) view.update((upstream) => this.catalogOf(upstream));
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

  /** What one upstream offers, in both eras, if it was ever read. */
  catalogOf(upstream: string): UpstreamCatalog | undefined {
    const modern = this.#catalogs.get(upstream);
    const legacy = this.#catalogs.get(toLegacySource(upstream));
    if (!modern || !legacy) return modern;
    const known = this.#united.get(modern);
    if (known?.legacy === legacy) return known.catalog;
    const { catalog, differences } = uniteEras(modern, legacy);
    this.#united.set(modern, { legacy, catalog });
    this.#sources.get(upstream)?.given.onUnited?.(differences);
    return catalog;
  }

  /** Why its lists are old, or not all that it has. */
  problemsOf(upstream: string): readonly string[] {
    const unread = this.#complaints.get(upstream);
    const { problems = [] } = this.#catalogs.get(upstream) ?? {};
    return unread === undefined ? problems : [toProblem(upstream, unread), ...problems];
  }

  /** Reads one upstream anew, for example after it was started, and listens for its changes. Never rejects. */
  refresh(name: string): Promise<void> {
    const running = this.#reading.get(name);
    if (running) running.isStale = true;
    return this.read(name);
  }

  /** The reading that runs, or a new one. */
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

  /** Somebody asks for these: what may be out of date is read again meanwhile (E-51). */
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

  async #read({ given: { name, dispatch, legacyEraOf: upstream = name }, stop }: Source): Promise<boolean> {
    const { readTimeoutMs = 10_000 } = this.#options;
    this.#readAt.set(name, Date.now());
    const announced = this.#announced.get(name);
    this.#announced.delete(name);
    try {
      const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(readTimeoutMs)]);
      const catalog = await readCatalog(upstream, dispatch, signal, this.#options.limits);
      if (stop.signal.aborted) return false;
      this.#catalogs.set(name, catalog);
      this.#complaints.delete(name);
      await this.#updateViews({ upstream, announced, items: itemsOf(catalog) });
      if (stop.signal.aborted) return false;
      // Both eras are of one program: a list that changes in one may have changed in the other.
      const legacy = toLegacySource(name);
      if (announced && this.#readAt.has(legacy) && !this.#listening.has(legacy)) void this.refresh(legacy);
      return true;
    } catch (error) {
      if (!stop.signal.aborted) this.#complain({ name, upstream }, (error as Error).message);
      return false;
    }
  }

  /** Merging a long list takes some milliseconds for each view: other requests are served in between. */
  async #updateViews({ upstream, announced, items }: ViewUpdate): Promise<void> {
    const slices = new Slices();
    for (const view of this.#views) {
      if (!view.upstreams.includes(upstream)) continue;
      if (slices.isLong(items)) await slices.pause();
      // Meanwhile other views may have replaced it, which have the lists already.
      if (this.#views.includes(view)) view.update((one) => this.catalogOf(one), announced);
    }
  }

  /** Once for each different reason. */
  #complain({ name, upstream }: { name: string; upstream: string }, reason: string): void {
    if (this.#complaints.get(name) === reason) return;
    this.#complaints.set(name, reason);
    this.#options.onProblem?.(toProblem(name, reason), upstream);
  }

  #listen(source: Source): void {
    const { name, dispatch, isKept } = source.given;
    const notifications = toWantedChanges(this.#catalogs.get(name));
    if (!isKept || !notifications || this.#listening.has(name)) return void this.#again.delete(name);
    this.#listening.add(name);
    const exchange = createOwnExchange({
      signal: source.stop.signal,
      onNotification: ({ method: told }) => {
        if (told === notificationMethod.acknowledged) this.#again.delete(name);
        else this.#hear(name, kindOf[told]);
      },
    });
    /** However the stream has ended, what came meanwhile was missed: read anew, then listen (E-17, J-60). */
    const again = () => {
      if (source.stop.signal.aborted) return;
      this.#listening.delete(name);
      this.#readLater(source);
    };
    dispatch(toOwnRequest(method.listen, { notifications }), exchange).then(again, again);
  }

  /** At once, but an upstream that announces changes without pause is not read without pause. */
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

/** Names the source of the older era of an upstream. No name of an upstream has a space. */
export function toLegacySource(upstream: string): string {
  return `${upstream} (legacy)`;
}

function toProblem(upstream: string, reason: string): string {
  return `the catalogue of ${upstream} could not be read: ${reason}`;
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
