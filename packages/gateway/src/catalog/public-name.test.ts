import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toPublicName } from "./public-name.ts";

describe("the public name of a tool", () => {
  it("joins the upstream's name and the tool's if the result is valid", () => {
    expect(toPublicName("everything", "get-sum")).toBe("everything__get-sum");
  });

  it("truncates a public name to 64 characters and keeps names with equal beginnings distinct", () => {
    const [one, other] = ["a", "b"].map((end) => toPublicName("", "x".repeat(64) + end));
    expect(one).toMatch(/^x{55}_[0-9a-f]{8}$/);
    expect(one).not.toBe(other);
  });

  it("keeps two names distinct that differ only in invalid characters", () => {
    expect(toPublicName("a", "x.y")).not.toBe(toPublicName("a", "x/y"));
  });

  it("makes valid, stable public names of at most 64 characters (E-66)", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9.-]{1,32}$/), fc.string({ maxLength: 200 }), (upstream, name) => {
        const made = toPublicName(upstream, name);
        expect(made).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        expect(toPublicName(upstream, name)).toBe(made);
      }),
    );
  });
});
