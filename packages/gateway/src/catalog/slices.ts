// Long work in short slices, so that requests of other callers are answered in between.

/** ms */
const sliceMs = 5;
/** How many steps pass between two looks at the clock. */
const stepsPerLook = 32;
/** Work of more steps that cannot be divided gets a turn of the event loop of its own. */
const longSteps = 500;
const nextTurn = setImmediate;

export class Slices {
  #began: number = performance.now();
  #steps = 0;

  /** Called once per step. True when the caller should await `pause` before the next one. */
  isOver(): boolean {
    this.#steps += 1;
    return this.#steps % stepsPerLook === 0 && performance.now() - this.#began > sliceMs;
  }

  /** True when the caller should await `pause` before work of so many steps that it cannot divide. */
  isLong(steps: number): boolean {
    return steps > longSteps;
  }

  /** Resolves when the event loop has served what else was waiting. */
  async pause(): Promise<void> {
    await new Promise<void>((resolve) => void nextTurn(resolve));
    this.#began = performance.now();
  }
}
