import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toJsonValue } from "./json-value.ts";

describe("toJsonValue", () => {
  it("toJsonValue returns the value after a round trip through JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.stringify(toJsonValue(value, "it"))).toBe(JSON.stringify(value));
      }),
    );
  });

  it("toJsonValue omits undefined members and copies the others", () => {
    const value = { a: [1], b: undefined };
    const copy = toJsonValue(value, "it");
    expect(copy).toEqual({ a: [1] });
    expect((copy as typeof value).a).not.toBe(value.a);
  });

  it.each<[unknown, string]>([
    [Number.NaN, "it has to be JSON, got NaN"],
    [10n, "it has to be JSON, got a bigint"],
    [[1, () => 1], "it[1] has to be JSON, got a function"],
    [[undefined], "it[0] has to be JSON, got undefined"],
    [{ at: new Date(0) }, "it.at has to be JSON, got an instance of Date"],
    [{ a: { b: new Map() } }, "it.a.b has to be JSON, got an instance of Map"],
  ])("%# toJsonValue rejects values that JSON cannot represent and names their path", (value, message) => {
    expect(() => toJsonValue(value, "it")).toThrow(message);
  });

  it("toJsonValue rejects a circular value", () => {
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    expect(() => toJsonValue(cyclic, "it")).toThrow("nested deeper than 100 levels");
  });
});
