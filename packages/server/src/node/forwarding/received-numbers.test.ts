import { expect, test } from "vitest";
import { ReceivedNumbers } from "./received-numbers.ts";

test("no message of a sender is accepted twice, or after a later one", () => {
  const received = new ReceivedNumbers();
  expect([1, 3, 3, 2, 4].map((number) => received.accept("a", number))).toEqual([true, true, false, false, true]);
  expect(received.accept("b", 1)).toBe(true);
});

test("calls back once the awaited message of this sender was handled, not when it was accepted", () => {
  const received = new ReceivedNumbers();
  const calls: string[] = [];
  expect(received.when("a", 0, () => {})).toBeUndefined();
  received.when("a", 2, () => calls.push("two"));
  received.accept("b", 5);
  received.handled("b");
  received.accept("a", 1);
  received.handled("a");
  received.accept("a", 2);
  expect(calls).toEqual([]);
  received.handled("a");
  received.handled("a");
  expect(calls).toEqual(["two"]);
});

test("a wait that was cancelled is not called back", () => {
  const received = new ReceivedNumbers();
  received.when("a", 1, () => expect.unreachable())?.();
  received.accept("a", 1);
  received.handled("a");
});
