// The lists of all upstreams for one declaration of extensions, and each endpoint's view of them.
import { type DeclaredExtensions, noExtensions } from "../extensions/declared-extensions.ts";
import { withTimeout } from "../upstreams/connection/with-timeout.ts";
import type { CatalogView } from "./catalog-view.ts";
import type { ListLimits } from "./list-limits.ts";
import { type CatalogSource, LiveCatalog } from "./live-catalog.ts";
import type { UpstreamCatalog } from "./read-catalog.ts";

/** An endpoint, which has a view of the lists for each declaration. */
export interface ViewOwner {
  createView(): CatalogView;
}

export interface DeclaredCatalogOptions {
  readonly declared: DeclaredExtensions;
  /** The caller that used the declaration first. */
  readonly callerId: string | undefined;
  /** The lists without extensions. They also say when an upstream is there, and when its lists change. */
  readonly base: LiveCatalog;
  readonly limits?: ListLimits;
}

/** How long a request waits until the lists are first read with its declaration, in ms. */
const firstReadMs = 5_000;

export class DeclaredCatalog {
  readonly declared: DeclaredExtensions;
  readonly callerId: string | undefined;
  usedAt: number = Date.now();
  readonly #base: LiveCatalog;
  readonly #live: LiveCatalog;
  readonly #views: Map<ViewOwner, CatalogView> = new Map();
  /** First reads that a request may wait for. */
  readonly #first: Map<string, Promise<void>> = new Map();
  readonly #sources: Map<CatalogSource, CatalogSource> = new Map();

  constructor({ declared, callerId, base, limits }: DeclaredCatalogOptions) {
    this.declared = declared;
    this.callerId = callerId;
    this.#base = base;
    this.#live = new LiveCatalog({
      ...(limits && { limits }),
      toKept: (source, catalog) => this.#compare(source, catalog),
      meanwhile: (upstream) => base.catalogOf(upstream),
      olderOf: (upstream) => base.olderOf(upstream),
    });
  }

  follow(sources: readonly CatalogSource[], owners: readonly ViewOwner[]): void {
    const [keptSources, keptOwners] = [new Set(sources), new Set(owners)];
    for (const source of this.#sources.keys()) if (!keptSources.has(source)) this.#sources.delete(source);
    const own = sources.map((source) => this.#toOwn(source));
    for (const owner of this.#views.keys()) if (!keptOwners.has(owner)) this.#views.delete(owner);
    const views = owners.map((owner) => this.#viewOf(owner));
    this.#live.follow(own, views);
    for (const { name } of own) if (this.#base.newerOf(name) && !this.#live.newerOf(name)) this.#readFirst(name);
  }

  /** Undefined for an endpoint that is not served any more. */
  viewOf(owner: ViewOwner): CatalogView | undefined {
    return this.#views.get(owner);
  }

  /** Resolves when the lists of these upstreams were read once, or could not be. Undefined if there is nothing to wait for. */
  untilRead(upstreams: Iterable<string>): Promise<void> | undefined {
    const waiting: Promise<void>[] = [];
    for (const upstream of upstreams) {
      const reading = this.#first.get(upstream);
      if (reading !== undefined) waiting.push(reading);
    }
    if (waiting.length === 0) return undefined;
    const nothing = () => {};
    return withTimeout(firstReadMs, Promise.all(waiting), () => new Error("late")).then(nothing, nothing);
  }

  refresh(upstream: string): void {
    if (this.#live.newerOf(upstream)) void this.#live.refresh(upstream);
    else this.#readFirst(upstream);
  }

  /** Call this when a caller requests the lists of these upstreams. */
  touch(upstreams: readonly string[]): void {
    this.#live.touch(upstreams);
  }

  close(): void {
    this.#live.close();
  }

  #readFirst(upstream: string): void {
    const reading = this.#live.refresh(upstream).finally(() => this.#first.delete(upstream));
    this.#first.set(upstream, reading);
  }

  #viewOf(owner: ViewOwner): CatalogView {
    const known = this.#views.get(owner);
    if (known) return known;
    const view = owner.createView();
    this.#views.set(owner, view);
    return view;
  }

  /** Changes are heard by the source without extensions. */
  #toOwn(source: CatalogSource): CatalogSource {
    const known = this.#sources.get(source);
    if (known) return known;
    const { name, isKept, extensions } = source;
    const declared = extensions?.narrow(this.declared) ?? this.declared;
    const dispatch = source.dispatchWith?.(declared) ?? source.dispatch;
    const own: CatalogSource = {
      ...{ name, dispatch, declared, isKept, isHeard: false },
      ...(extensions && { extensions }),
      onDeclared(_, isDifferent) {
        if (declared !== noExtensions) source.onDeclared?.(declared, isDifferent);
      },
    };
    this.#sources.set(source, own);
    return own;
  }

  /** Lists that the declaration does not change share the memory of those without extensions. */
  #compare({ name, onDeclared }: CatalogSource, read: UpstreamCatalog): UpstreamCatalog {
    const base = this.#base.newerOf(name);
    if (!base) return read;
    const isSame = (list: keyof UpstreamCatalog["versions"]) => base.versions[list] === read.versions[list];
    const lists = ["tools", "prompts", "resources", "templates"] as const;
    const isDifferent = !lists.every(isSame) || JSON.stringify(base.offered) !== JSON.stringify(read.offered);
    onDeclared?.(this.declared, isDifferent);
    const shared = Object.fromEntries(lists.filter(isSame).map((list) => [list, base[list]]));
    return { ...read, ...shared };
  }
}
