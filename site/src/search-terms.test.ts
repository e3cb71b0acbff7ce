import { expect, it } from "vitest";
import { isPrefix, toleranceOf, toTerms } from "../.vitepress/search.ts";

it.each([
  ["validate", "validation"],
  ["cancelling", "cancelled"],
  ["logs", "logging"],
  ["policies", "policy"],
  ["caches", "caching"],
])("a search for %s finds a section with %s", (searched, written) => {
  expect(toTerms(written, "text")).toContain(toTerms(searched));
});

it.each(["CORS", "HTTPS", "Redis", "status", "call"])("the word %s has no shorter form", (word) => {
  expect(toTerms(word)).toBe(word.toLowerCase());
});

it("ignores words that occur everywhere in a search, and keeps them in the index", () => {
  expect(["how", "to", "the", "a"].map((word) => toTerms(word))).toEqual([null, null, null, null]);
  expect(toTerms("the", "text")).toBe("the");
});

it("completes the last word, and others from four letters on", () => {
  const terms = ["max", "body", "si"];
  expect(terms.map((term, index) => isPrefix(term, index, terms))).toEqual([false, true, true]);
});

it("tolerates typing errors in words of five letters and more", () => {
  expect([toleranceOf("cors"), toleranceOf("nginx")]).toEqual([false, 0.2]);
});

it("has functions that work without their module, because browsers get their source only", () => {
  const alone = new Function(`return ${toTerms}`)() as typeof toTerms;
  expect(alone("validations")).toBe("valid");
});
