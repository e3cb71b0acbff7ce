// One endpoint's view of the catalogs: those of its upstreams merged by its rules, and the changes since the last update.
import { toOwnName } from "@lethe/protocol";
import type { CatalogPart } from "./catalog-part.ts";
import { type Catalog, CatalogMerger, type MergeOptions, type Wanted } from "./merge-catalogs.ts";
import { withUnread } from "./merge-features.ts";
import { ProblemLog } from "./problem-log.ts";
import type { UpstreamCatalog } from "./read-catalog.ts";

/**
 * The `_meta` member of discover and lists that names the upstreams that are starting or down. Their items may be outdated or
 * absent.
 */
export const missingMetaKey = "lethe/missing";

export type ListKind = "tools" | "prompts" | "resources";

export interface ViewOptions extends MergeOptions {
  /** Returns the current upstreams in the order of the lists. Unchanged rules are the same object. */
  upstreams(): Wanted;
  /** Called with the lists that changed, or that an upstream announced as changed. */
  onChange?(kinds: readonly ListKind[]): void;
  onProblem?(problem: string, upstream: string): void;
  /** Whether no cache may share its lists between callers. Default false. */
  readonly isPrivate?: boolean;
  /**
   * Whether other upstreams are still being read for the first time. Until `tellProblems`, problems are not reported, because
   * they may go away.
   */
  isStartingUp?(): boolean;
}

export class CatalogView {
  readonly #options: ViewOptions;
  readonly #merger: CatalogMerger;
  readonly #problems: ProblemLog;
  #catalog: Catalog;
  /** Undefined before the first update. */
  #unread: Wanted | undefined;

  constructor(options: ViewOptions) {
    this.#options = options;
    this.#merger = new CatalogMerger(options);
    this.#problems = new ProblemLog((problem, upstream) => options.onProblem?.(problem, upstream));
    this.#catalog = this.#merger.merge([], []);
  }

  get current(): Catalog {
    return this.#catalog;
  }

  /** Whether every upstream was read at least once. */
  get isComplete(): boolean {
    return this.#unread?.length === 0;
  }

  /** The upstreams that were never read. */
  get unread(): readonly string[] {
    return (this.#unread ?? []).map(({ name }) => name);
  }

  /** Returns the upstream that may have this tool or prompt, and its name there, among upstreams that were never read. */
  unreadOwnerOf(publicName: string): { readonly upstream: string; readonly name: string } | undefined {
    for (const { name: upstream, rules } of this.#unread ?? []) {
      const name = toOwnName(rules.prefix, publicName);
      if (name !== undefined) return { upstream, name };
    }
    return undefined;
  }

  get upstreams(): readonly string[] {
    return this.#options.upstreams().map(({ name }) => name);
  }

  /** The upstreams that are new since the last update. */
  tellProblems(): void {
    this.#problems.tell(this.#catalog.problems);
  }

  /** Merges again after a catalog was read, or after the set of upstreams changed. */
  update(catalogOf: (upstream: string) => UpstreamCatalog | undefined, announced?: ReadonlySet<ListKind>): void {
    const before = this.#catalog;
    const { upstreams, onChange, isStartingUp } = this.#options;
    const wanted = upstreams();
    const parts = wanted.flatMap(({ name, rules }): CatalogPart[] => {
      const catalog = catalogOf(name);
      return catalog ? [{ catalog, rules }] : [];
    });
    this.#catalog = this.#merger.merge(parts, wanted);
    if (this.#options.isPrivate) this.#catalog.cacheScope = "private";
    this.#unread = wanted.filter(({ name }) => catalogOf(name) === undefined);
    if (!this.isComplete) {
      // More items may arrive at any moment, and clients must not cache the lists without them.
      this.#catalog.freshUntil = 0;
      this.#catalog.capabilities = withUnread(this.#catalog.capabilities);
    }
    if (this.isComplete || !isStartingUp?.()) this.tellProblems();
    const kinds = changedLists(before, this.#catalog, announced);
    if (kinds.length > 0) onChange?.(kinds);
  }
}

/** Unchanged items are the same objects. */
function changedLists(before: Catalog, after: Catalog, announced: ReadonlySet<ListKind> = new Set()): ListKind[] {
  const kinds: ListKind[] = [];
  if (announced.has("tools") || !hasSameItems(before.tools, after.tools)) kinds.push("tools");
  if (announced.has("prompts") || !hasSameItems(before.prompts, after.prompts)) kinds.push("prompts");
  const hasSame = hasSameItems(before.resources, after.resources) && hasSameItems(before.templates, after.templates);
  if (announced.has("resources") || !hasSame) kinds.push("resources");
  return kinds;
}

function hasSameItems(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one === other || (one.length === other.length && one.every((item, index) => item === other[index]));
}
