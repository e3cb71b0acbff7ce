import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ProblemLog } from "./problem-log.ts";

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

test("logs 100 lines per minute for an upstream with constantly changing problems, and one with the count of the others", () => {
  const lines: string[] = [];
  const log = new ProblemLog((problem, upstream) => lines.push(`${upstream}: ${problem}`));
  for (let round = 0; round < 1_000; round++) log.tell([{ upstream: "evil", problem: `p${round}` }]);
  expect(lines).toHaveLength(100);
  log.tell([{ upstream: "good", problem: "p" }]);
  expect(lines.at(-1)).toBe("good: p");
  vi.setSystemTime(60_000);
  log.tell([]);
  expect(lines.slice(101)).toEqual(["evil: evil: 900 more problems of its lists were not logged"]);
  log.tell([{ upstream: "evil", problem: "p0" }]);
  expect(lines.at(-1)).toBe("evil: p0");
});
