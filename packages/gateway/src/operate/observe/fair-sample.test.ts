// Which requests administrators see when there are too many.
import { expect, it } from "vitest";
import { FairSample } from "./fair-sample.ts";

/** A random number generator that repeats. */
function createRandom(): () => number {
  let state = 1;
  return () => {
    state = (state * 16_807) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

it("takes every request up to 100 a second", () => {
  let now = 0;
  const sample = new FairSample(() => now, createRandom());
  let taken = 0;
  for (let count = 0; count < 1_000; count += 1) {
    now += 10.1;
    if (sample.takesNext()) taken += 1;
  }
  expect(taken).toBe(1_000);
});

it("takes at most 100 in a second, also of a sudden burst", () => {
  let now = 5_000;
  const sample = new FairSample(() => now, createRandom());
  const takenOf = (requests: number) =>
    Array.from({ length: requests }, () => sample.takesNext()).filter(Boolean).length;
  expect(takenOf(5_000)).toBe(100);
  now += 1_000;
  expect(takenOf(5_000)).toBeLessThanOrEqual(100);
  now += 1_000;
  expect(takenOf(50)).toBeLessThanOrEqual(50);
  now += 1_000;
  expect(takenOf(90)).toBe(90);
});

it("gives each of many requests the same chance, whenever in the second it begins and whichever caller sends it", () => {
  let now = 0;
  const sample = new FairSample(() => now, createRandom());
  const [byTenth, byCaller] = [new Array<number>(10).fill(0), new Array<number>(5).fill(0)];
  const perSecond = 2_000;
  for (let count = 0; count < 60 * perSecond; count += 1) {
    now = (count * 1_000) / perSecond;
    if (!sample.takesNext() || now < 1_000) continue;
    byTenth[Math.floor(now / 100) % 10] = (byTenth[Math.floor(now / 100) % 10] ?? 0) + 1;
    byCaller[count % 5] = (byCaller[count % 5] ?? 0) + 1;
  }
  for (const shares of [byTenth, byCaller]) {
    const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
    for (const share of shares) expect(share / mean).toBeGreaterThan(0.75);
  }
});
