import fc from "fast-check";
import { expect, test } from "vitest";
import { createNameRule } from "./exposure.ts";

test("offers every item under its own name without allow and deny lists", () => {
  expect(createNameRule(undefined).offered("x")).toBe("x");
  expect(createNameRule({}).offered("x")).toBe("x");
});

test("does not offer a denied item, even if it is allowed", () => {
  const { offered } = createNameRule({ allow: ["get_*", "list"], deny: ["*_secret"] });
  expect(["get_x", "list", "put_x", "get_secret", "listing"].map(offered)).toEqual([
    "get_x",
    "list",
    undefined,
    undefined,
    undefined,
  ]);
});

test("applies allow and deny lists to the name that the upstream uses, not to the new name", () => {
  const { offered } = createNameRule({ deny: ["b"], rename: { a: "b", b: "c" } });
  expect(["a", "b"].map(offered)).toEqual(["b", undefined]);
});

test("a star in a pattern matches any text, including none, at any position", () => {
  const { offered } = createNameRule({ allow: ["a*b*c", "x*yz*z"] });
  expect(["abc", "axxbxxc", "aXbYbZc", "ab", "acb", "abcd", "xyz"].map((name) => offered(name) !== undefined)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

test("a pattern with stars matches exactly as the equivalent regular expression does", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 8 });
  const name = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 8 });
  fc.assert(
    fc.property(text, name, (pattern, candidate) => {
      const expected = new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(candidate);
      return (createNameRule({ allow: [pattern] }).offered(candidate) !== undefined) === expected;
    }),
  );
});
