// The promise of a step, such as `ctx.elicit`, which knows whether the handler has used it.
import { quiet } from "./quiet.ts";

/** `await`, `then`, `catch`, `finally` and `Promise.all` or `race` use it. Promises that follow from it are plain. */
export class StepPromise<T> extends Promise<T> {
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  readonly label: string;
  #isUsed = false;
  #derived: StepPromise<unknown> | undefined;

  constructor(result: Promise<T>, label: string) {
    super((resolve, reject) => {
      result.then(resolve, reject);
    });
    this.label = label;
    // The rejection of a step is no unhandled one.
    super.then(undefined, () => {});
  }

  get isUsed(): boolean {
    return this.#isUsed || this.#derived?.isUsed === true;
  }

  /** The promise of a converted result, whose use is the use of this one. */
  derive<B>(convert: (value: T) => B): StepPromise<B> {
    const derived = new StepPromise<B>(super.then(convert), this.label);
    this.#derived = derived;
    return derived;
  }

  // biome-ignore lint/suspicious/noThenProperty: only a call of `then` shows that a promise is used.
  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#isUsed = true;
    return super.then(onFulfilled, onRejected);
  }
}

/** Converts the result of a step. */
export function derive<T, B>(step: Promise<T>, convert: (value: T) => B): Promise<B> {
  return step instanceof StepPromise ? step.derive(convert) : quiet(step.then(convert));
}

/** The steps of a run that have no result yet. */
export class OpenSteps {
  readonly #steps = new Set<StepPromise<unknown>>();

  add<T>(result: Promise<T>, label: string): StepPromise<T> {
    const step = new StepPromise<T>(result, label);
    this.#steps.add(step);
    const close = () => this.#steps.delete(step);
    result.then(close, close);
    return step;
  }

  /** The labels of those that the handler has not used. */
  unused(): readonly string[] {
    return [...this.#steps].filter((step) => !step.isUsed).map(({ label }) => label);
  }
}
