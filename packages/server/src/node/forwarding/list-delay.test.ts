import { expect, it } from "vitest";
import { ListDelay } from "./list-delay.ts";

/** Which of the lists at these times, which are due every second, decide nothing. The lease is 2,500 ms. */
function undecided(...times: number[]): number[] {
  const delay = new ListDelay(2_500);
  return times.filter((time) => delay.isUndecided(time, 1_000));
}

it("a list that arrives about when it is due shows which replicas have lost their leases", () => {
  expect(undecided(0, 1_000, 2_000, 3_900, 4_000)).toEqual([]);
});

it("a list after a time in which the shared store may have stood still decides nothing, and the next one does", () => {
  expect(undecided(0, 1_000, 5_000, 6_000, 9_500, 10_500)).toEqual([5_000, 9_500]);
});

it("a second list within the time in which replicas renew their leases decides nothing either", () => {
  expect(undecided(0, 5_000, 5_001, 5_499, 5_500, 6_000)).toEqual([5_000, 5_001, 5_499]);
});

it("of lists that are always late, every second one decides", () => {
  expect(undecided(0, 5_000, 10_000, 15_000, 20_000)).toEqual([5_000, 15_000]);
});
