import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createDigestMemory, digestOf, toCanonicalJson } from "./digest.ts";

/** The same JSON value with the members of every object in another order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, reversed(member)]);
  return Object.fromEntries(entries.reverse());
}

describe("digestOf", () => {
  it("digestOf does not depend on the order of members (E-28)", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        expect(await digestOf(reversed(value))).toBe(await digestOf(value));
      }),
    );
  });

  it("digestOf differs when the JSON value differs", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), async (left, right) => {
        const isEqual = JSON.stringify(sorted(left)) === JSON.stringify(sorted(right));
        expect((await digestOf(left)) === (await digestOf(right))).toBe(isEqual);
      }),
    );
  });

  it("digestOf returns SHA-256 as base64url", async () => {
    expect(await digestOf({})).toBe("RBNvo1WzZ4oRRq0W9-hknpT7T8If536DEMBg9hyq_4o");
  });
});

describe("a digest memory", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("a digest memory returns the same digests and computes each recent one only once", async () => {
    const digest = vi.spyOn(crypto.subtle, "digest");
    const digestOfText = createDigestMemory({ maxTexts: 2, maxLength: 4 });
    const texts = ["1", "2", "1", "3", "2", "1", "12345", "12345"];
    const digests = [];
    for (const text of texts) digests.push(await digestOfText(text));
    expect(digest).toHaveBeenCalledTimes(6);
    expect(digests).toEqual(await Promise.all(texts.map((text) => digestOf(Number(text)))));
  });
});

describe("toCanonicalJson", () => {
  it("toCanonicalJson parses back to the same value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(toCanonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("toCanonicalJson sorts members and omits undefined ones at every depth", () => {
    expect(toCanonicalJson({ b: [{ d: 1, c: undefined }], a: "é", 10: 1, 9: 2 })).toBe(
      '{"10":1,"9":2,"a":"é","b":[{"d":1}]}',
    );
  });
});

function sorted(value: unknown): unknown {
  return JSON.parse(toCanonicalJson(value));
}
