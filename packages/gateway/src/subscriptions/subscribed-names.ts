// The URIs under which streams have subscribed to the resources of an upstream, for as long as they listen. Both the plain and the
// qualified form of one URI may be subscribed.

/** The URIs that one stream requested, by the upstream's own URI. */
export type RequestedNames = ReadonlyMap<string, readonly string[]>;

export class SubscribedNames {
  /** The number of streams for each requested URI, by the upstream's own URI. */
  readonly #counts: Map<string, Map<string, number>> = new Map();

  /** The number of the upstream's own URIs. */
  get size(): number {
    return this.#counts.size;
  }

  of(own: string): Iterable<string> {
    return this.#counts.get(own)?.keys() ?? [];
  }

  join(names: RequestedNames): void {
    this.#count(names, 1);
  }

  leave(names: RequestedNames): void {
    this.#count(names, -1);
  }

  #count(names: RequestedNames, step: 1 | -1): void {
    for (const [own, requested] of names) {
      const counts = this.#counts.get(own) ?? new Map<string, number>();
      for (const uri of requested) {
        const count = (counts.get(uri) ?? 0) + step;
        if (count > 0) counts.set(uri, count);
        else counts.delete(uri);
      }
      if (counts.size > 0) this.#counts.set(own, counts);
      else this.#counts.delete(own);
    }
  }
}
