// Spreads work over turns of the event loop, so that requests do not wait for all of it.

/** Work that is done in steps. */
export interface SpreadWork {
  /** Does the first step at once, unless a step is due already. */
  start(): void;
  /** Does all steps that are due. */
  finish(): void;
}

/**
 * `begin` starts the steps, each of which ends with `yield`. The next step follows in a later turn. After a step that throws, the next
 * `start` begins again.
 *
 * @example
 * import { spreadOverTurns } from "@lethe/server/edge";
 *
 * const waiting = ["a", "b"];
 * const work = spreadOverTurns(function* () {
 *   for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
 *     console.log(next);
 *     yield;
 *   }
 * });
 * work.start(); // a
 * work.finish(); // b
 */
export function spreadOverTurns(begin: () => Iterator<undefined, void>): SpreadWork {
  let steps: Iterator<undefined, void> | undefined;

  function step(): void {
    if (!steps) return;
    let isDone: boolean | undefined = true;
    try {
      isDone = steps.next().done;
    } finally {
      if (isDone) steps = undefined;
    }
  }

  function stepAndContinue(): void {
    step();
    if (steps) setTimeout(stepAndContinue);
  }

  return {
    start() {
      if (steps) return;
      steps = begin();
      stepAndContinue();
    },
    finish() {
      while (steps) step();
    },
  };
}
