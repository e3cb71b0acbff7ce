import { describe, expect, it } from "vitest";

it("passes", () => {});

describe("a group", () => {
  it("fails", () => expect(1).toBe(2));
});

it("leaves an error behind", () => {
  Promise.reject(new Error("too late"));
});
