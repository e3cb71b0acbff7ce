import { expect, test } from "vitest";
import { OpenMap } from "./open-map.ts";

test("what was added is there until it is taken, oldest first", () => {
  const open = new OpenMap<string>();
  for (const [index, value] of ["a", "b", "c"].entries()) open.add(index + 1, value);
  expect(open.take(2)).toBe("b");
  expect(open.take(2)).toBeUndefined();
  expect([open.size, open.values, open.get(3)]).toEqual([2, ["a", "c"], "c"]);
  open.clear();
  expect([open.size, open.get(3)]).toEqual([0, undefined]);
});

test("what is open alone can be taken without its id", () => {
  const open = new OpenMap<string>();
  expect(open.takeOnly()).toBeUndefined();
  open.add("x", "a");
  open.add(1, "b");
  expect(open.takeOnly()).toBeUndefined();
  open.take("x");
  expect([open.takeOnly(), open.size]).toEqual(["b", 0]);
});

test("ids of a peer are ours only as we wrote them", () => {
  const open = new OpenMap<string>();
  open.add(1, "number");
  open.add("2", "text");
  expect([1, "1", 2, "2", "__proto__", null, undefined, [1]].map((id) => open.get(id))).toEqual([
    "number",
    ...[undefined, undefined],
    "text",
    ...[undefined, undefined, undefined, undefined],
  ]);
});
