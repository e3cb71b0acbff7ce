import fc from "fast-check";
import { expect, test } from "vitest";
import { SparseMap, SparseSet } from "./sparse-collections.ts";

const keys = fc.integer({ min: 0, max: 4 });
const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("add"), key: keys }),
    fc.record({ kind: fc.constant("delete"), key: keys }),
    fc.record({ kind: fc.constant("clear"), key: keys }),
  ),
  { maxLength: 40 },
);

test("SparseMap holds the same entries in the same order as a Map after any sequence of operations", () => {
  fc.assert(
    fc.property(steps, (sequence) => {
      const sparse = new SparseMap<number, number>();
      const map = new Map<number, number>();
      for (const [value, { kind, key }] of sequence.entries()) {
        if (kind === "add") sparse.set(key, value);
        if (kind === "add") map.set(key, value);
        if (kind === "delete") expect(sparse.delete(key)).toBe(map.delete(key));
        if (kind === "clear") sparse.clear();
        if (kind === "clear") map.clear();
        expect([...sparse]).toEqual([...map]);
        expect([[...sparse.keys()], [...sparse.values()]]).toEqual([[...map.keys()], [...map.values()]]);
        expect([sparse.size, sparse.has(key), sparse.get(key)]).toEqual([map.size, map.has(key), map.get(key)]);
      }
    }),
  );
});

test("SparseSet holds the same values in the same order as a Set after any sequence of operations", () => {
  fc.assert(
    fc.property(steps, (sequence) => {
      const sparse = new SparseSet<number>();
      const set = new Set<number>();
      for (const { kind, key } of sequence) {
        if (kind === "add") sparse.add(key);
        if (kind === "add") set.add(key);
        if (kind === "delete") expect(sparse.delete(key)).toBe(set.delete(key));
        if (kind === "clear") sparse.clear();
        if (kind === "clear") set.clear();
        expect([[...sparse], sparse.size, sparse.has(key)]).toEqual([[...set], set.size, set.has(key)]);
      }
    }),
  );
});

test("entries may be deleted while they are visited, down to the last one", () => {
  const map = new SparseMap<number, number>();
  for (const key of [1, 2, 3]) map.set(key, key);
  for (const [key] of map) map.delete(key);
  expect(map.size).toBe(0);
});
