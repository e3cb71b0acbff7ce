import fc from "fast-check";
import { expect, test } from "vitest";
import { OpenMap } from "./open-map.ts";

test("OpenMap holds added values until they are taken, oldest first", () => {
  const open = new OpenMap<string>();
  for (const [index, value] of ["a", "b", "c"].entries()) open.add(index + 1, value);
  expect(open.take(2)).toBe("b");
  expect(open.take(2)).toBeUndefined();
  expect([open.size, open.values, open.get(3)]).toEqual([2, ["a", "c"], "c"]);
  open.clear();
  expect([open.size, open.get(3)]).toEqual([0, undefined]);
});

test("OpenMap.takeOnly returns the value only if it is the only one", () => {
  const open = new OpenMap<string>();
  expect(open.takeOnly()).toBeUndefined();
  open.add("x", "a");
  open.add(1, "b");
  expect(open.takeOnly()).toBeUndefined();
  open.take("x");
  expect([open.takeOnly(), open.size]).toEqual(["b", 0]);
});

test("OpenMap finds a value only by an id of the same type", () => {
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

test("OpenMap holds the same values as a Map after any sequence of operations", () => {
  const id = fc.oneof(fc.integer({ min: 0, max: 100 }), fc.maxSafeInteger(), fc.string());
  const step = fc.record({ id, isAdded: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const open = new OpenMap<object>();
      const model = new Map<number | string, object>();
      for (const { id, isAdded } of steps) {
        if (isAdded && !model.has(id)) {
          const value = {};
          open.add(id, value);
          model.set(id, value);
        } else if (!isAdded) {
          expect(open.take(id)).toBe(model.get(id));
          model.delete(id);
        }
        expect(open.get(id)).toBe(model.get(id));
      }
      expect(open.size).toBe(model.size);
      expect(new Set(open.values)).toEqual(new Set(model.values()));
    }),
  );
});

test("OpenMap keeps a long-lived entry while later ids reuse slots", () => {
  const open = new OpenMap<number>();
  open.add(1, 1);
  for (let id = 2; id < 10_000; id += 1) {
    open.add(id, id);
    if (id > 40) expect(open.take(id - 20)).toBe(id - 20);
  }
  expect(open.get(1)).toBe(1);
});

test("OpenMap keeps the order of numeric ids through a burst", () => {
  const open = new OpenMap<number>();
  for (let id = 10_000; id > 0; id -= 1) open.add(id, id);
  expect(open.values.slice(0, 3)).toEqual([1, 2, 3]);
  for (let id = 1; id < 10_000; id += 1) open.take(id);
  expect([open.size, open.values]).toEqual([1, [10_000]]);
});
