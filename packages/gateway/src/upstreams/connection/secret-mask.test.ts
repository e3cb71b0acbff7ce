import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSecretMask } from "./secret-mask.ts";

describe("the mask of configured secrets", () => {
  const mask = createSecretMask(["sk-upstream-1", "Bearer token-of-gh", "sk-upstream-12345", 'with "quotes" & spaces']);

  it.each([
    ["failed with sk-upstream-1", "failed with ***"],
    ["failed with sk-upstream-12345!", "failed with ***!"],
    ["sk-upstream-1sk-upstream-1", "******"],
    ["rejected Bearer token-of-gh", "rejected ***"],
    ["rejected token-of-gh", "rejected ***"],
    ["https://x.example/?key=with%20%22quotes%22%20%26%20spaces", "https://x.example/?key=***"],
    [JSON.stringify({ key: 'with "quotes" & spaces' }), '{"key":"***"}'],
    ["sk-upstream", "sk-upstream"],
    ["", ""],
  ])("masks %j as %j", (text, expected) => {
    expect(mask.text(text)).toBe(expected);
  });

  it("masks values at any depth and names of members", () => {
    const value = { list: [{ note: "is token-of-gh" }], "token-of-gh": 1, rest: null };
    expect(mask.value(value)).toEqual({ list: [{ note: "is ***" }], "***": 1, rest: null });
  });

  it("returns a value without a secret unchanged", () => {
    const value = { list: [{ note: "nothing" }], rest: [1, null, true] };
    expect(mask.value(value)).toBe(value);
    expect(createSecretMask([]).value(value)).toBe(value);
  });

  it("replaces values that are nested too deep to be searched", () => {
    const nested = (depth: number): unknown => (depth === 0 ? "token-of-gh" : [nested(depth - 1)]);
    expect(JSON.stringify(mask.value(nested(5_000)))).not.toContain("token-of-gh");
  });

  it("finds every occurrence of every secret, including overlapping ones", () => {
    const secret = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 6, maxLength: 9 });
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 60 });
    fc.assert(
      fc.property(fc.array(secret, { minLength: 1, maxLength: 6 }), text, (secrets, given) => {
        const covered = Array.from(given, () => false);
        for (const one of secrets) {
          for (let at = given.indexOf(one); at !== -1; at = given.indexOf(one, at + 1)) {
            covered.fill(true, at, at + one.length);
          }
        }
        const shown = Array.from(given).filter((_, at) => !covered[at]);
        return createSecretMask(secrets).text(given).replaceAll("*", "") === shown.join("");
      }),
      { numRuns: 1_000 },
    );
  });

  it("searches megabytes for thousands of secrets in one pass", { timeout: 30_000 }, () => {
    const secrets = Array.from({ length: 5_000 }, (_, index) => `${"a".repeat(30)}${index}`);
    const text = "a".repeat(4_000_000);
    expect(createSecretMask(secrets).text(text)).toBe(text);
  });
});
