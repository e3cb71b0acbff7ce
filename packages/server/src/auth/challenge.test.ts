// The WWW-Authenticate header (G-3, G-4).
import fc from "fast-check";
import { expect, test } from "vitest";
import { toWwwAuthenticate } from "./challenge.ts";

test("the challenge for a missing scope names the error, all scopes and the metadata URL (G-4)", () => {
  expect(
    toWwwAuthenticate({ error: "insufficient_scope", scopes: ["a", "b"] }, "https://s.example/.well-known/x"),
  ).toBe('Bearer error="insufficient_scope", scope="a b", resource_metadata="https://s.example/.well-known/x"');
});

test("a challenge without parameters is the bare scheme", () => {
  expect(toWwwAuthenticate({ scopes: [] })).toBe("Bearer");
});

test("escapes text so that it cannot end its quotes or the header", () => {
  fc.assert(
    fc.property(fc.uint16Array(), (units) => {
      const header = toWwwAuthenticate({ description: String.fromCharCode(...units) });
      expect(header).toMatch(/^Bearer(?: error_description="(?:[ !#-[\]-~]|\\["\\])*")?$/);
    }),
  );
});
