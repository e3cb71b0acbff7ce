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
  for (let call = 2; call <= 1_003; call += 1) begun.add("one", call);
  expect([1, 2, 3, 4, 1_004].map((call) => begun.lacks("one", call))).toEqual([false, false, false, false, true]);
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
