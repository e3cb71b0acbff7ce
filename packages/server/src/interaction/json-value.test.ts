import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toJsonValue } from "./json-value.ts";

describe("toJsonValue", () => {
  it("gives back what JSON would bring back", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.stringify(toJsonValue(value, "it"))).toBe(JSON.stringify(value));
      }),
    );
  });

  it("leaves out undefined members and copies the rest", () => {
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
  ])("%# refuses what JSON cannot hold and names the place", (value, message) => {
    expect(() => toJsonValue(value, "it")).toThrow(message);
  });

  it("a value that holds itself is refused", () => {
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    expect(() => toJsonValue(cyclic, "it")).toThrow("nested deeper than 100 levels");
  });
});
