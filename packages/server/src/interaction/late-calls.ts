// Steps that a handler begins after its suspension. They have no effect, because the handler will run again.
import { rejected } from "./quiet.ts";
import { Suspension } from "./suspension.ts";

/** A handler that sends more requests than this after its suspension is in a loop. */
const maxLateCalls = 100;

export class LateCalls {
  readonly #onWarning: (warning: string) => void;
  #count = 0;

  constructor(onWarning: (warning: string) => void) {
    this.#onWarning = onWarning;
  }

  /** The promise of such a step: it rejects, or stays pending in a loop. */
  refuse(): Promise<never> {
    this.#count += 1;
    if (this.#count <= maxLateCalls) return rejected(new Suspension());
    if (this.#count === maxLateCalls + 1)
      this.#onWarning("keeps requesting input after its suspension and is left pending");
    return new Promise(() => {});
  }
}
