import { describe, expect, it } from "vitest";
import { laterRevisionsOf, maxLaterRevisions, relaysLaterRevisions } from "./later-revisions.ts";

describe("later revisions of an upstream", () => {
  it("are those after ours that have a date as their name, once and newest first", () => {
    const supported = ["2099-01-01", "2026-07-28", "2025-11-25", "DRAFT-2099", "2100-01-01", "2099-01-01", 5];
    expect(laterRevisionsOf(supported)).toEqual(["2100-01-01", "2099-01-01"]);
  });

  it("are limited to the newest", () => {
    const many = Array.from({ length: 100 }, (_, index) => `2099-01-${10 + (index % 90)}`);
    expect(laterRevisionsOf(many)).toHaveLength(maxLaterRevisions);
    expect(laterRevisionsOf(many)[0]).toBe("2099-01-99");
  });

  it("are relayed unless a setting needs their messages checked or changed", () => {
    expect(relaysLaterRevisions({})).toBe(true);
    expect(relaysLaterRevisions({ laterRevisions: "relay", prefix: "x", tasks: "auto" })).toBe(true);
    for (const policy of [
      { laterRevisions: "reject" },
      { affinity: "handle" },
      { tools: {} },
      { prompts: { deny: ["x"] } },
      { resources: { allow: ["x:*"] } },
      { extensions: { deny: ["a.b/c"] } },
    ] as const) {
      expect(relaysLaterRevisions(policy)).toBe(false);
    }
  });
});
