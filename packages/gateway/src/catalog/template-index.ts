// Finds the URI templates that match a URI among very many, by the literal text at their start.
import { maxTemplateUriLength } from "./list-limits.ts";
import { createUriMatcher, type UriMatcher } from "./uri-matcher.ts";

interface Entry {
  readonly matcher: UriMatcher;
  readonly offers: (uri: string) => boolean;
}

export class TemplateIndex {
  readonly #byPrefix: Map<string, Entry[]> = new Map();
  /** The lengths of the prefixes. */
  readonly #lengths: Set<number> = new Set();
  readonly #texts: Set<string> = new Set();

  /** `offers` decides whether a URI that matches the template counts. */
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

  /** Whether there is a template with exactly this text. */
  has(uriTemplate: string): boolean {
    return this.#texts.has(uriTemplate);
  }

  /** Whether the URI matches any template. A URI of more than 8,192 characters matches none. */
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
