// What the function of a `ctx.once` gets, so that an effect outside can be recognised or rejected when it is repeated.
import type { OnceStep } from "../features/context.ts";
import type { JournalHome } from "./journal.ts";

export class OnceSteps {
  readonly #home: JournalHome | undefined;
  #seed: string | undefined;

  constructor(home: JournalHome | undefined) {
    this.#home = home;
  }

  stepOf(kind: string, key: string): OnceStep {
    this.#seed ??= this.#home?.seed ?? globalThis.crypto.randomUUID();
    return { idempotencyKey: `${this.#seed}:${kind}:${key}`, fence: this.#home?.fence ?? 0 };
  }
}
