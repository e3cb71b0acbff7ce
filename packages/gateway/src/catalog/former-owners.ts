// Remembers which upstream a plain URI led to after that upstream stopped listing it, so that callers who still know the URI
// are not served by another upstream.

/** Characters of the URIs remembered for one upstream; the oldest are forgotten first. */
const maxCharacters = 4 * 1024 * 1024;

interface Owned {
  readonly uris: Set<string>;
  characters: number;
}

export class FormerOwners {
  readonly #ownerOf: Map<string, string> = new Map();
  /** By upstream, so that none can make the gateway forget the URIs of another. */
  readonly #owned: Map<string, Owned> = new Map();

  get(uri: string): string | undefined {
    return this.#ownerOf.get(uri);
  }

  add(uri: string, upstream: string): void {
    if (this.#ownerOf.has(uri)) return;
    const owned = this.#owned.get(upstream) ?? { uris: new Set(), characters: 0 };
    this.#owned.set(upstream, owned);
    this.#ownerOf.set(uri, upstream);
    owned.uris.add(uri);
    owned.characters += uri.length;
    if (owned.characters <= maxCharacters) return;
    // Drops half at once, because deleting the first entry of a Set is slow after many deletions.
    for (const oldest of owned.uris) {
      if (owned.characters <= maxCharacters / 2) break;
      this.#forget(oldest, owned);
    }
  }

  /** Call this when the owner lists the URI again. */
  delete(uri: string): void {
    const owned = this.#owned.get(this.#ownerOf.get(uri) ?? "");
    if (owned) this.#forget(uri, owned);
  }

  /** Forgets the URIs of upstreams that were removed from the configuration. */
  keep(upstreams: readonly string[]): void {
    const kept = new Set(upstreams);
    for (const [upstream, owned] of this.#owned) {
      if (kept.has(upstream)) continue;
      for (const uri of owned.uris) this.#ownerOf.delete(uri);
      this.#owned.delete(upstream);
    }
  }

  #forget(uri: string, owned: Owned): void {
    owned.uris.delete(uri);
    owned.characters -= uri.length;
    this.#ownerOf.delete(uri);
  }
}
