// What the function of a `ctx.once` gets, so that an effect outside can be recognised or rejected when it is repeated.
import type { OnceStep } from "../features/context.ts";
import type { JournalHome } from "./journal.ts";

export class OnceSteps {
  readonly #home: JournalHome | undefined;
  readonly #earlierSeed: string | undefined;
  #seed: string | undefined;

  /** `earlierSeed` is the seed of the earlier rounds, or what identifies this round however often it is repeated. */
  constructor(home: JournalHome | undefined, earlierSeed: string | undefined) {
    this.#home = home;
    this.#earlierSeed = earlierSeed;
  }

  /** The common part of the keys. Undefined before the first step of the call. */
  get seed(): string | undefined {
    return this.#seed;
  }

  stepOf(kind: string, key: string): OnceStep {
    this.#seed ??= this.#home?.seed ?? this.#earlierSeed ?? globalThis.crypto.randomUUID();
    return { idempotencyKey: `${this.#seed}:${kind}:${key}`, fence: this.#home?.fence ?? 0 };
  }
}
