// Which declarations of callers change what a legacy upstream offers, as far as its lists were read with them. Shared sessions are
// opened once more only for those, because each may be another process.
import type { DeclaredExtensions } from "./declared-extensions.ts";

/** The number of declarations that are remembered. */
const maxObserved = 256;

export class ObservedDeclarations {
  readonly #observed: Map<string, boolean> = new Map();

  /** Undefined until the lists were read with this declaration. */
  matters({ key }: DeclaredExtensions): boolean | undefined {
    return this.#observed.get(key);
  }

  note({ key }: DeclaredExtensions, matters: boolean): void {
    if (this.#observed.size >= maxObserved) this.#observed.clear();
    this.#observed.set(key, matters);
  }
}
