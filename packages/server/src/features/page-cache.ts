// The serialized pages of a list, for each set of items that callers see.
import type { Result } from "@lethe/protocol";

/** Callers whose visible items differ share no page, so only this many sets are kept; the others are serialized again. */
const maxOutcomes = 64;

/** By the ordinal after which a page begins: those of a walk from the start. */
type Pages = ReadonlyMap<number, Result>;

/** Keeps the pages that were requested last. */
export class PageCache {
  readonly #pages = new Map<string, Pages>();

  /** `outcome` names the set of items. It is empty for a list that is the same for all callers. */
  get(outcome: string, make: (outcome: string) => Pages): Pages {
    const known = this.#pages.get(outcome);
    if (known !== undefined && outcome === "") return known;
    const pages = known ?? make(outcome);
    this.#pages.delete(outcome);
    this.#pages.set(outcome, pages);
    if (this.#pages.size > maxOutcomes) {
      const [oldest] = this.#pages.keys();
      if (oldest !== undefined) this.#pages.delete(oldest);
    }
    return pages;
  }

  clear(): void {
    this.#pages.clear();
  }
}
