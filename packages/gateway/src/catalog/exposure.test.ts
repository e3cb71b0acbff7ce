import fc from "fast-check";
import { expect, test } from "vitest";
import { createNameRule } from "./exposure.ts";

test("without lists everything is offered as it is", () => {
  expect(createNameRule(undefined).offered("x")).toBe("x");
  expect(createNameRule({}).offered("x")).toBe("x");
});

test("what is denied is not offered, even if it is allowed", () => {
  const { offered } = createNameRule({ allow: ["get_*", "list"], deny: ["*_secret"] });
  expect(["get_x", "list", "put_x", "get_secret", "listing"].map(offered)).toEqual([
    "get_x",
    "list",
    undefined,
    undefined,
    undefined,
  ]);
});

test("what is renamed is allowed and denied under the name that the upstream knows", () => {
  const { offered } = createNameRule({ deny: ["b"], rename: { a: "b", b: "c" } });
  expect(["a", "b"].map(offered)).toEqual(["b", undefined]);
});

test("a star stands for any text, also between others, and for none", () => {
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

test("a pattern of stars fits exactly what a regular expression would", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 8 });
  const name = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 8 });
  fc.assert(
    fc.property(text, name, (pattern, candidate) => {
      const expected = new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(candidate);
      return (createNameRule({ allow: [pattern] }).offered(candidate) !== undefined) === expected;
    }),
  );
});
