import { describe, expect, it } from "vitest";
import { createMemorySpentTokens } from "./spent-tokens.ts";

describe("createMemorySpentTokens", () => {
  it("an id is spent once, until it expires (E-28)", () => {
    let time = 0;
    const spent = createMemorySpentTokens({ now: () => time });
    expect([spent.spend("a", 10), spent.spend("a", 10), spent.spend("b", 10)]).toEqual([true, false, true]);
    time = 10;
    expect(spent.spend("a", 20)).toBe(true);
  });

  it("when full it refuses new ids and forgets none", () => {
    let time = 0;
    const spent = createMemorySpentTokens({ maxTokens: 2, now: () => time });
    expect([spent.spend("a", 10), spent.spend("b", 20), spent.spend("c", 30)]).toEqual([true, true, false]);
    expect(spent.spend("a", 10)).toBe(false);
    time = 10;
    expect([spent.spend("c", 30), spent.spend("b", 20)]).toEqual([true, false]);
  });
});
