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

function createSample() {
  const clock = { now: 5_000 };
  return { clock, sample: new FairSample(() => clock.now, createRandom()) };
}

/** How many of the requests that begin at even intervals in the next second are taken, by upstream. */
function takenOf({ clock, sample }: ReturnType<typeof createSample>, requests: Readonly<Record<string, number>>) {
  const begun = Object.entries(requests).flatMap(([upstream, count]) =>
    Array.from({ length: count }, (_, index) => ({ upstream, at: index / count })),
  );
  const start = clock.now;
  const taken: Record<string, number> = {};
  for (const { upstream, at } of begun.toSorted((one, other) => one.at - other.at)) {
    clock.now = start + at * 999;
    taken[upstream] = (taken[upstream] ?? 0) + Number(sample.takesNext(upstream));
  }
  clock.now = start + 1_000;
  return taken;
}

it("takes every request up to 20 a second", () => {
  const sampled = createSample();
  for (let second = 0; second < 30; second += 1) expect(takenOf(sampled, { a: 15, b: 5 })).toEqual({ a: 15, b: 5 });
});

it("takes a burst of 100 after a quiet second, and never more in a second", () => {
  const sampled = createSample();
  expect(takenOf(sampled, { a: 100 })).toEqual({ a: 100 });
  takenOf(sampled, { a: 20 });
  expect(takenOf(sampled, { a: 5_000 })).toEqual({ a: 100 });
  sampled.clock.now += 10_000;
  expect(takenOf(sampled, { a: 100 })).toEqual({ a: 100 });
});

it("takes about 10 requests a second while there are more than 20", () => {
  const sampled = createSample();
  takenOf(sampled, { a: 167 });
  let taken = 0;
  for (let second = 0; second < 60; second += 1) taken += takenOf(sampled, { a: 167 }).a ?? 0;
  expect(taken / 60).toBeGreaterThan(8);
  expect(taken / 60).toBeLessThan(12);
});

it("takes every request of an upstream that has few of many", () => {
  const sampled = createSample();
  takenOf(sampled, { busy: 500, rare: 3, quiet: 1 });
  for (let second = 0; second < 10; second += 1) {
    expect(takenOf(sampled, { busy: 500, rare: 3, quiet: 1 })).toMatchObject({ rare: 3, quiet: 1 });
  }
});

it("takes about 10 requests a second of a thousand upstreams that have few each", () => {
  const sampled = createSample();
  const requests = (second: number) =>
    Object.fromEntries(Array.from({ length: 333 }, (_, index) => [`upstream ${second % 3} ${index}`, 1]));
  takenOf(sampled, requests(0));
  let taken = 0;
  for (let second = 1; second <= 60; second += 1) {
    taken += Object.values(takenOf(sampled, requests(second))).reduce((sum, count) => sum + count, 0);
  }
  expect(taken / 60).toBeGreaterThan(8);
  expect(taken / 60).toBeLessThan(12);
});

it("gives each of many requests the same chance, whenever in the second it begins and whichever caller sends it", () => {
  let now = 0;
  const sample = new FairSample(() => now, createRandom());
  const [byTenth, byCaller] = [new Array<number>(10).fill(0), new Array<number>(5).fill(0)];
  const perSecond = 2_000;
  for (let count = 0; count < 300 * perSecond; count += 1) {
    now = (count * 1_000) / perSecond;
    if (!sample.takesNext("a") || now < 1_000) continue;
    byTenth[Math.floor(now / 100) % 10] = (byTenth[Math.floor(now / 100) % 10] ?? 0) + 1;
    byCaller[count % 5] = (byCaller[count % 5] ?? 0) + 1;
  }
  for (const shares of [byTenth, byCaller]) {
    const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
    for (const share of shares) expect(share / mean).toBeGreaterThan(0.75);
  }
});

it("takes 10 failures a second besides the sample", () => {
  const { clock, sample } = createSample();
  const taken = () => Array.from({ length: 50 }, () => sample.takesFailure()).filter(Boolean).length;
  expect(taken()).toBe(10);
  clock.now += 1_000;
  expect(taken()).toBe(10);
});
