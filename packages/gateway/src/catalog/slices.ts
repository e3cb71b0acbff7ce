// Runs long work in short slices, so that requests of other callers are served in between.

/** In ms. */
const sliceMs = 5;
/** The number of steps between two looks at the clock. */
const stepsPerLook = 32;
/** Indivisible work of more steps than this gets its own turn of the event loop. */
const longSteps = 500;
const nextTurn = setImmediate;

export class Slices {
  #began: number = performance.now();
  #steps = 0;

  /** Call this once per step. Await `pause` before the next step if it returns true. */
  isOver(): boolean {
    this.#steps += 1;
    return this.#steps % stepsPerLook === 0 && performance.now() - this.#began > sliceMs;
  }

  /** Await `pause` before indivisible work of this many steps if it returns true. */
  isLong(steps: number): boolean {
    return steps > longSteps;
  }

  /** Resolves when the event loop has served other waiting work. */
  async pause(): Promise<void> {
    await new Promise<void>((resolve) => void nextTurn(resolve));
    this.#began = performance.now();
  }
}
