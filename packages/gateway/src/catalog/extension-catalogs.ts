// The lists for callers that declare extensions, because servers may offer them other tools. There is one set of lists per declaration,
// and a bounded number of declarations. A caller whose declaration has no room gets the lists of callers without extensions.
import type { DeclaredExtensions } from "../extensions/declared-extensions.ts";
import { DeclaredCatalog, type ViewOwner } from "./declared-catalog.ts";
import type { ListLimits } from "./list-limits.ts";
import type { CatalogSource, LiveCatalog } from "./live-catalog.ts";

export interface ExtensionCatalogsOptions {
  /** The lists for callers without extensions. */
  readonly base: LiveCatalog;
  readonly limits?: ListLimits;
  /** The maximum number of declarations. Default 16. */
  readonly max?: number;
  /** The maximum number of declarations that one authenticated caller brought. Default 4. */
  readonly maxPerCaller?: number;
  onProblem?(problem: string): void;
}

/** The lists for a declaration are dropped if no caller used it for this time, in ms. */
const idleMs = 600_000;
/** Lists that were used within this time, in ms, are not dropped for others of the same caller. */
const graceMs = 60_000;

export class ExtensionCatalogs {
  readonly #options: ExtensionCatalogsOptions;
  readonly #max: number;
  readonly #maxPerCaller: number;
  readonly #sets: Map<string, DeclaredCatalog> = new Map();
  #sources: readonly CatalogSource[] = [];
  #owners: readonly ViewOwner[] = [];
  #isFull = false;

  constructor(options: ExtensionCatalogsOptions) {
    this.#options = options;
    this.#max = options.max ?? 16;
    this.#maxPerCaller = options.maxPerCaller ?? 4;
  }

  get size(): number {
    return this.#sets.size;
  }

  /** Replaces the sources and endpoints after the configuration changed. */
  follow(sources: readonly CatalogSource[], owners: readonly ViewOwner[]): void {
    this.#sources = sources.filter(({ legacyEraOf }) => legacyEraOf === undefined);
    this.#owners = owners;
    for (const set of this.#sets.values()) set.follow(this.#sources, owners);
  }

  /** Returns the lists for a declaration. Undefined if there is no room for them. */
  setFor(declared: DeclaredExtensions, callerId: string | undefined): DeclaredCatalog | undefined {
    const known = this.#sets.get(declared.key);
    if (known) {
      known.usedAt = Date.now();
      return known;
    }
    if (!this.#makeRoom(callerId)) return this.#refuse();
    this.#isFull = false;
    const { base, limits } = this.#options;
    const set = new DeclaredCatalog({ declared, callerId, base, ...(limits && { limits }) });
    this.#sets.set(declared.key, set);
    set.follow(this.#sources, this.#owners);
    return set;
  }

  /** Call this when the lists of an upstream were read without extensions: those with extensions may have changed too. */
  refresh(upstream: string): void {
    this.#dropIdle();
    for (const set of this.#sets.values()) set.refresh(upstream);
  }

  close(): void {
    for (const set of this.#sets.values()) set.close();
    this.#sets.clear();
  }

  #makeRoom(callerId: string | undefined): boolean {
    this.#dropIdle();
    // Anonymous callers may be many, but leave room for others.
    const most = callerId === undefined ? this.#max - this.#maxPerCaller : this.#maxPerCaller;
    const own = [...this.#sets.values()].filter((set) => set.callerId === callerId);
    if (own.length < most && this.#sets.size < this.#max) return true;
    const [oldest] = own.sort((one, other) => one.usedAt - other.usedAt);
    if (!oldest || Date.now() - oldest.usedAt < graceMs) return false;
    this.#drop(oldest);
    return true;
  }

  #refuse(): undefined {
    if (!this.#isFull) {
      const fact = `callers declare more than ${this.#sets.size} different sets of extensions`;
      this.#options.onProblem?.(`${fact}: further ones get the lists for clients without extensions`);
    }
    this.#isFull = true;
    return undefined;
  }

  #dropIdle(): void {
    const oldest = Date.now() - idleMs;
    for (const set of this.#sets.values()) if (set.usedAt < oldest) this.#drop(set);
  }

  #drop(set: DeclaredCatalog): void {
    this.#sets.delete(set.declared.key);
    set.close();
  }
}
