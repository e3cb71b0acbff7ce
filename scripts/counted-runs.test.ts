// npm test counts what vitest reports.
import { expect, it } from "vitest";

interface Counts {
  readonly passed: number;
  readonly failed: number;
}

const { readVitest }: { readVitest(report: object): Counts } = await import(
  new URL("counted-runs.mjs", import.meta.url).href
);

it("skipped tests count neither as passed nor as failed", () => {
  expect(readVitest({ numPassedTests: 2, numFailedTests: 1, numTotalTests: 4 })).toEqual({ passed: 2, failed: 1 });
});

it("a run without any test counts as one failure", () => {
  expect(readVitest({ numPassedTests: 0, numFailedTests: 0, numTotalTests: 0 })).toEqual({ passed: 0, failed: 1 });
});
