// One endpoint's view of the catalogues: those of its upstreams, merged by its rules, and what changed in it.
import type { CatalogRules } from "./catalog-part.ts";
import { type Catalog, mergeCatalogs } from "./merge-catalogs.ts";
import { withUnread } from "./merge-features.ts";
import { toOwnName } from "./public-name.ts";
import type { UpstreamCatalog } from "./read-catalog.ts";

export type ListKind = "tools" | "prompts" | "resources";

export interface ViewOptions {
  /** Those of the moment, in the order of the lists. */
  upstreams(): readonly { readonly name: string; readonly rules: CatalogRules }[];
  /** Called with the lists that differ from what they were before, or of which an upstream said that they do. */
  onChange?(kinds: readonly ListKind[]): void;
  onProblem?(problem: string, upstream: string): void;
  /** More upstreams are being read, and who hides what of whom is not known yet: problems are kept until `tellProblems`. */
  isBeginning?(): boolean;
}

export class CatalogView {
  readonly #options: ViewOptions;
  #catalog: Catalog = mergeCatalogs([]);
  /** Undefined before the first update. */
  #unread: readonly { readonly name: string; readonly rules: CatalogRules }[] | undefined;
  #reported: ReadonlySet<string> = new Set();

  constructor(options: ViewOptions) {
    this.#options = options;
  }

  get current(): Catalog {
    return this.#catalog;
  }

  /** Every upstream was read at least once. */
  get isComplete(): boolean {
    return this.#unread?.length === 0;
  }

  /** Whose this tool or prompt may be, and its name there, among those that were never read. */
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

  /** Those that were not there the last time. */
  tellProblems(): void {
    const { problems } = this.#catalog;
    for (const { problem, upstream } of problems) {
      if (!this.#reported.has(problem)) this.#options.onProblem?.(problem, upstream);
    }
    this.#reported = new Set(problems.map(({ problem }) => problem));
  }

  /** After one of the catalogues was read, which its upstream may have announced, or other upstreams count. */
  update(catalogOf: (upstream: string) => UpstreamCatalog | undefined, announced?: ReadonlySet<ListKind>): void {
    const before = this.#catalog;
    const { upstreams, onChange, isBeginning } = this.#options;
    const wanted = upstreams();
    const parts = wanted.flatMap(({ name, rules }) => {
      const catalog = catalogOf(name);
      return catalog ? [{ catalog, rules }] : [];
    });
    this.#catalog = mergeCatalogs(parts);
    this.#unread = wanted.filter(({ name }) => catalogOf(name) === undefined);
    if (!this.isComplete) {
      // What is missing may come at any moment, and nobody may remember the lists without it.
      this.#catalog.freshUntil = 0;
      this.#catalog.capabilities = withUnread(this.#catalog.capabilities);
    }
    if (this.isComplete || !isBeginning?.()) this.tellProblems();
    const kinds = changedLists(before, this.#catalog, announced);
    if (kinds.length > 0) onChange?.(kinds);
  }
}

function changedLists(before: Catalog, after: Catalog, announced: ReadonlySet<ListKind> = new Set()): ListKind[] {
  const isChanged = (kind: ListKind, one: unknown, other: unknown) =>
    announced.has(kind) || JSON.stringify(one) !== JSON.stringify(other);
  const kinds: ListKind[] = [];
  if (isChanged("tools", before.tools, after.tools)) kinds.push("tools");
  if (isChanged("prompts", before.prompts, after.prompts)) kinds.push("prompts");
  const toResources = ({ resources, templates }: Catalog) => [resources, templates];
  if (isChanged("resources", toResources(before), toResources(after))) kinds.push("resources");
  return kinds;
}
