import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toPublicName } from "./public-name.ts";

describe("the public name of an upstream's tool", () => {
  it("is the upstream's name and the tool's, when that is legal", () => {
    expect(toPublicName("everything", "get-sum")).toBe("everything__get-sum");
  });

  it("is cut where it would be longer than 64 characters, and stays apart from others that begin alike", () => {
    const [one, other] = ["a", "b"].map((end) => toPublicName("", "x".repeat(64) + end));
    expect(one).toMatch(/^x{55}_[0-9a-f]{8}$/);
    expect(one).not.toBe(other);
  });

  it("keeps two names apart that differ only in characters that had to go", () => {
    expect(toPublicName("a", "x.y")).not.toBe(toPublicName("a", "x/y"));
  });

  it("is always legal, at most 64 characters and the same each time (E-66)", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9.-]{1,32}$/), fc.string({ maxLength: 200 }), (upstream, name) => {
        const made = toPublicName(upstream, name);
        expect(made).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        expect(toPublicName(upstream, name)).toBe(made);
      }),
    );
  });
});
