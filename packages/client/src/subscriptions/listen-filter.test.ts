import type { ListenFilter } from "@lethe/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { covers, intersectionsWith, unionOf } from "./listen-filter.ts";

const names = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 4 });
const filters = fc.record(
  {
    toolsListChanged: fc.boolean(),
    promptsListChanged: fc.boolean(),
    resourcesListChanged: fc.boolean(),
    resourceSubscriptions: names,
    taskIds: names,
  },
  { requiredKeys: [] },
);

test("a union covers its parts, and each part covers its intersection with the union", () => {
  fc.assert(
    fc.property(filters, filters, (one, other) => {
      const union = unionOf([one, other]);
      expect(covers(union, one) && covers(union, other)).toBe(true);
      const both = intersectionsWith(one)(other);
      expect(covers(one, both) && covers(other, both)).toBe(true);
      expect(intersectionsWith(union)(one)).toEqual(unionOf([one]));
    }),
  );
});

test("a filter with a missing entry does not cover the whole", () => {
  const whole: ListenFilter = { toolsListChanged: true, resourceSubscriptions: ["a"] };
  for (const part of [{ promptsListChanged: true }, { resourceSubscriptions: ["a", "b"] }, { taskIds: ["a"] }]) {
    expect(covers(whole, part)).toBe(false);
  }
});

test("a URI of two filters, or twice in one, occurs once in the union (E-18)", () => {
  const merged = unionOf([{ resourceSubscriptions: ["a", "a"] }, { resourceSubscriptions: ["a", "b"] }]);
  expect(merged).toEqual({ resourceSubscriptions: ["a", "b"] });
});
