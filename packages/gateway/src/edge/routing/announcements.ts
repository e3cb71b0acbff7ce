// Announces changed lists to the subscriptions of all callers. Where there are thousands, this takes several turns of the event loop, so
// that other requests do not wait for all of them.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Hub } from "@lethe/server/edge";
import type { ListKind } from "../../catalog/catalog-view.ts";

/** Streams of further callers that learn of a changed list in a turn of the event loop. */
const maxPerTurn = 500;

export class Announcements {
  readonly #hubs: () => Iterable<Hub>;
  /** A list that changes again before its turn is announced once. */
  readonly #waiting: Set<ListKind> = new Set();
  #isRunning = false;

  /** `hubs` has one hub for each caller. */
  constructor(hubs: () => Iterable<Hub>) {
    this.#hubs = hubs;
  }

  /** Begins at once. */
  add(kind: ListKind): void {
    this.#waiting.add(kind);
    if (!this.#isRunning) void this.#announce();
  }

  async #announce(): Promise<void> {
    this.#isRunning = true;
    for (const kind of this.#waiting) {
      this.#waiting.delete(kind);
      let served = 0;
      for (const hub of this.#hubs()) {
        if (served >= maxPerTurn) {
          await nextTurn();
          served = 0;
        }
        hub.publish({ kind });
        served += hub.size;
      }
    }
    this.#isRunning = false;
  }
}
