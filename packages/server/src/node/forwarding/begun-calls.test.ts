import { expect, it } from "vitest";
import { BegunCalls } from "./begun-calls.ts";

it("a call that did not arrive has not begun, also between others that did, and those of another replica", () => {
  const begun = new BegunCalls();
  for (const call of [1, 3]) begun.add("one", call);
  expect([1, 2, 3, 4].map((call) => begun.lacks("one", call))).toEqual([false, true, false, true]);
  expect(begun.lacks("two", 1)).toBe(true);
});

it("calls that are forgotten may have begun", () => {
  const begun = new BegunCalls();
  for (let call = 2; call <= 2_002; call += 1) begun.add("one", call);
  expect([1, 2, 1_001, 2_003].map((call) => begun.lacks("one", call))).toEqual([false, false, false, true]);
});

it("the last 1,000 calls of a replica are remembered", () => {
  const begun = new BegunCalls();
  for (let call = 2; call <= 10_000; call += 2) begun.add("one", call);
  const recent = Array.from({ length: 1_000 }, (_, index) => 10_000 - index);
  expect(recent.filter((call) => begun.lacks("one", call))).toEqual(recent.filter((call) => call % 2 === 1));
});

it("calls of a replica that is forgotten may have begun", () => {
  const begun = new BegunCalls();
  for (let sender = 0; sender <= 1_000; sender += 1) begun.add(`replica ${sender}`, 1);
  expect([begun.lacks("replica 0", 2), begun.lacks("replica 1", 2), begun.lacks("new", 1)]).toEqual([
    false,
    true,
    false,
  ]);
});
