// A property of fast-check as a target: fast-check makes the inputs from the seed of the round and shrinks one that fails.
import fc from "fast-check";
import { createHealthMonitor } from "../run/health.ts";
import type { Target } from "../run/target.ts";

export interface PropertyOptions<T> {
  readonly name: string;
  readonly inputs: fc.Arbitrary<T>;
  /** Throws, or rejects, when the property does not hold. */
  check(input: T): void | Promise<void>;
  readonly weight?: number;
}

/** Any UTF-16 code units, lone surrogates included. (The unit "binary" of fast-check takes half a second to build.) */
export const anyText: fc.Arbitrary<string> = fc.string({
  unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
});

/** Rounds this long are short enough to notice a hang, and long enough not to count. */
const inputsPerRound = 1_000;

export function propertyTarget<T>({ name, inputs, check, weight = 0.5 }: PropertyOptions<T>): Target {
  return {
    name,
    weight,
    // A round is one turn where the property is synchronous.
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
