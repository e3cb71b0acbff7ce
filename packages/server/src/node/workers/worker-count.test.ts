import { expect, it } from "vitest";
import { findWorkersProblem, toWorkerCount } from "./worker-count.ts";

it('serves by "auto" or 1 to 256 workers', () => {
  for (const possible of ["auto", 1, 256] as const) expect(findWorkersProblem(possible)).toBeUndefined();
  for (const other of [0, -1, 1.5, 257, Number.NaN]) {
    expect(findWorkersProblem(other)).toBe('must be "auto" or a whole number from 1 to 256');
  }
});

it('starts the given number of workers, and for "auto" a possible one', () => {
  expect(toWorkerCount(3)).toBe(3);
  expect(findWorkersProblem(toWorkerCount("auto"))).toBeUndefined();
});
