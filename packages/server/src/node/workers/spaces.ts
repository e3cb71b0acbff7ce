// What all stores of a parent have in common: named operations, and one store for each space.

/** The worker that asks. */
export interface AskingWorker {
  readonly number: number;
  readonly id: string;
  /** Sends an event of a subscription. */
  onEvent(subscription: number, event: unknown): void;
}

export type Operation = (worker: AskingWorker, ...given: never[]) => unknown;

/** More kinds of servers in one program are a mistake. */
const maxSpaces = 256;

/** One store per space. */
export class Spaces<Store> {
  readonly #create: () => Store;
  readonly #stores = new Map<string, Store>();

  constructor(create: () => Store) {
    this.#create = create;
  }

  at(space: string): Store {
    const known = this.#stores.get(space);
    if (known) return known;
    if (this.#stores.size >= maxSpaces) throw new Error(`at most ${maxSpaces} servers can share stores`);
    const store = this.#create();
    this.#stores.set(space, store);
    return store;
  }

  all(): Iterable<Store> {
    return this.#stores.values();
  }
}
