// npm test counts each unit test once, although it runs on two versions of Node.
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly tests: Map<string, string>;
}

const {
  readVitest,
  changeBy,
}: { readVitest(report: object): Counts; changeBy(first: Counts["tests"], again: Counts): object } = await import(
  new URL("counted-runs.mjs", import.meta.url).href
);

const file = fileURLToPath(new URL("../packages/a.test.ts", import.meta.url));

/** A vitest report with one test per status. */
function reportOf(statuses: Record<string, "passed" | "failed" | "pending">): Counts {
  const assertionResults = Object.entries(statuses).map(([fullName, status]) => ({ fullName, status }));
  const having = (wanted: string) => assertionResults.filter(({ status }) => status === wanted).length;
  return readVitest({
    numPassedTests: having("passed"),
    numFailedTests: having("failed"),
    numTotalTests: assertionResults.length,
    testResults: [{ name: file, assertionResults }],
  });
}

it("a repeated run in which the same tests pass changes nothing in the total", () => {
  const first = reportOf({ a: "passed", b: "passed" });
  expect(changeBy(first.tests, reportOf({ a: "passed", b: "passed" }))).toEqual({ passed: 0, failed: 0 });
});

it("a test that fails only in the repeated run moves from passed to failed", () => {
  const first = reportOf({ a: "passed", b: "passed" });
  expect(changeBy(first.tests, reportOf({ a: "passed", b: "failed" }))).toEqual({ passed: -1, failed: 1 });
});

it("a test that fails in both runs counts as one failure", () => {
  const first = reportOf({ a: "failed", b: "passed" });
  expect(changeBy(first.tests, reportOf({ a: "failed", b: "passed" }))).toEqual({ passed: 0, failed: 0 });
});

it("a test that only the repeated run has, or that was skipped before, adds its failure", () => {
  const first = reportOf({ a: "pending" });
  expect(changeBy(first.tests, reportOf({ a: "failed", b: "failed" }))).toEqual({ passed: 0, failed: 2 });
});

it("a repeated run without a report adds one failure", () => {
  expect(changeBy(new Map(), { passed: 0, failed: 1, tests: new Map() })).toEqual({ passed: 0, failed: 1 });
});

it("a run without any test counts as one failure", () => {
  expect(reportOf({}).failed).toBe(1);
});
