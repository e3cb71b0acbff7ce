// Finds the URI templates that a URI fits, among very many, by the literal text that they begin with.
import { maxTemplateUriLength } from "./list-limits.ts";
import { createUriMatcher, type UriMatcher } from "./uri-matcher.ts";

interface Entry {
  readonly matcher: UriMatcher;
  readonly offers: (uri: string) => boolean;
}

export class TemplateIndex {
  readonly #byPrefix: Map<string, Entry[]> = new Map();
  /** Of the prefixes. */
  readonly #lengths: Set<number> = new Set();
  readonly #texts: Set<string> = new Set();

  /** `offers` tells of a URI that fits the template whether it counts. */
  add(uriTemplate: string, offers: (uri: string) => boolean = () => true): void {
    const matcher = createUriMatcher(uriTemplate);
    const entry = { matcher, offers };
    const { prefix } = matcher;
    const alike = this.#byPrefix.get(prefix);
    if (alike) alike.push(entry);
    else this.#byPrefix.set(prefix, [entry]);
    this.#lengths.add(prefix.length);
    this.#texts.add(uriTemplate);
  }

  get size(): number {
    return this.#texts.size;
  }

  /** Whether it has the template of this very text. */
  has(uriTemplate: string): boolean {
    return this.#texts.has(uriTemplate);
  }

  /** Whether the URI fits any template. No template fits a URI of more than 8,192 characters. */
  fits(uri: string): boolean {
    if (uri.length > maxTemplateUriLength) return false;
    for (const length of this.#lengths) {
      if (length > uri.length) continue;
      const alike = this.#byPrefix.get(uri.slice(0, length));
      if (alike?.some(({ matcher, offers }) => matcher.matches(uri) && offers(uri))) return true;
    }
    return false;
  }
}
