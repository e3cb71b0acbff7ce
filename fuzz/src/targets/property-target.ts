// A fast-check property as a target: fast-check generates inputs from the seed of the round and shrinks a failing one.
import fc from "fast-check";
import { createHealthMonitor } from "../run/health.ts";
import type { Target } from "../run/target.ts";

export interface PropertyOptions<T> {
  readonly name: string;
  readonly inputs: fc.Arbitrary<T>;
  /** Throws or rejects if the property does not hold. */
  check(input: T): void | Promise<void>;
  readonly weight?: number;
}

/** Any UTF-16 code units, lone surrogates included. (The unit "binary" of fast-check takes half a second to build.) */
export const anyText: fc.Arbitrary<string> = fc.string({
  unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
});

/** Short enough to notice a hang, and long enough to make the overhead negligible. */
const inputsPerRound = 1_000;

export function propertyTarget<T>({ name, inputs, check, weight = 0.5 }: PropertyOptions<T>): Target {
  return {
    name,
    weight,
    // A round of a synchronous property is one turn of the event loop.
    maxBusyMs: 10_000,
    async start() {
      const monitor = createHealthMonitor();
      return {
        async round(random, tally) {
          const property = fc.asyncProperty(inputs, async (input) => {
            tally.input(input);
            await check(input);
          });
          const details = await fc.check(property, { seed: random.below(2 ** 31), numRuns: inputsPerRound });
          if (details.failed) {
            const { counterexample, errorInstance } = details;
            const detail =
              errorInstance instanceof Error ? (errorInstance.stack ?? String(errorInstance)) : "no message";
            tally.fail({ kind: "wrong", detail, input: counterexample?.[0] });
          }
        },
        health: monitor.read,
        close: async () => monitor.stop(),
      };
    },
  };
}
