// Units that a process has reserved for one caller.
import { expect, test } from "vitest";
import { RateBudget } from "./rate-budget.ts";

/** One unit per 10 ms. */
const rate = { max: 800, windowMs: 8_000 };

function spendAll(budget: RateBudget, now: number): number {
  let spent = 0;
  while (budget.spend(now)) spent += 1;
  return spent;
}

test("units lapse one by one while the bucket would be full with them", () => {
  const reserved = (now: number) => {
    const budget = new RateBudget(rate);
    budget.add(8, { granted: 8, fullInMs: 100, waitMs: 0 }, 0, 0);
    return spendAll(budget, now);
  };
  expect([0, 20, 30, 60, 91, 200].map(reserved)).toEqual([8, 8, 7, 4, 0, 0]);
});

test("a lapsed unit does not return after another one is spent", () => {
  const budget = new RateBudget(rate);
  budget.add(8, { granted: 8, fullInMs: 80, waitMs: 0 }, 0, 0);
  expect(budget.spend(40)).toBe(true);
  expect(spendAll(budget, 40)).toBe(3);
});

test("a second reservation does not prolong the first", () => {
  const budget = new RateBudget(rate);
  budget.add(4, { granted: 4, fullInMs: 40, waitMs: 0 }, 0, 0);
  budget.add(4, { granted: 4, fullInMs: 80, waitMs: 0 }, 0, 0);
  expect(spendAll(budget, 20)).toBe(2 + 4);
});

test("reservations that follow each other quickly double, up to an eighth of the limit, and shrink when they become rare", () => {
  const budget = new RateBudget(rate);
  const aheadAt = (now: number) => {
    const ahead = budget.aheadAt(now);
    budget.begin(now);
    return ahead;
  };
  expect([0, 10, 20, 30, 40, 50, 60, 70, 80, 90].map(aheadAt)).toEqual([0, 1, 2, 4, 8, 16, 32, 64, 100, 100]);
  expect([2_090, 12_090, 12_100].map(aheadAt)).toEqual([50, 5, 10]);
});

test("reserves nothing in advance for limits below 8", () => {
  const budget = new RateBudget({ max: 7, windowMs: 60_000 });
  for (const now of [0, 1, 2, 3]) {
    expect(budget.aheadAt(now)).toBe(0);
    budget.begin(now);
  }
});

test("is low when half of the units are spent or have lapsed", () => {
  const budget = new RateBudget(rate);
  expect(budget.isLow(0)).toBe(false);
  budget.add(8, { granted: 8, fullInMs: 100, waitMs: 0 }, 0, 0);
  expect([0, 50, 60].map((now) => budget.isLow(now))).toEqual([false, false, true]);
  for (let spent = 0; spent < 4; spent += 1) budget.spend(0);
  expect(budget.isLow(0)).toBe(true);
});
