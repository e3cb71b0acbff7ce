import { describe, expect, it } from "vitest";
import type { DiscoverResult } from "../../model/discover.ts";
import { revisionNamed } from "../find-revision.ts";
import { chooseRevision, parseInitializeParams, toInitializeResult } from "./accept-initialize.ts";

const all = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

describe("initialize", () => {
  it.each(all)("initialize with %s answers with that revision (D-20)", (revision) => {
    expect(chooseRevision(revision, all)).toBe(revision);
  });

  it.each(["2026-07-28", "2024-10-07", "", "2099-01-01"])(
    "initialize with %j answers with the newest revision that has a handshake (D.4/3)",
    (asked) => {
      expect(chooseRevision(asked, all)).toBe("2025-11-25");
      expect(chooseRevision(asked, ["2025-03-26", "2024-11-05"])).toBe("2025-03-26");
    },
  );

  it.each([undefined, {}, { protocolVersion: 1, capabilities: {} }, { protocolVersion: "x" }, { capabilities: {} }])(
    "initialize with params %j is rejected with -32602",
    (params) => {
      expect(() => parseInitializeParams(params)).toThrow(expect.objectContaining({ code: -32602 }));
    },
  );

  it("initialize accepts a client without a valid clientInfo (A-36)", () => {
    const offer = parseInitializeParams({ protocolVersion: "x", capabilities: {}, clientInfo: { name: 1 } });
    expect(offer).toEqual({ protocolVersion: "x", capabilities: {}, clientInfo: undefined });
  });

  it("toInitializeResult copies the discover result and always names the server", () => {
    const discovered: DiscoverResult = {
      resultType: "complete",
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {} },
      instructions: "be nice",
      ttlMs: 0,
      cacheScope: "private",
    };
    const fallback = { name: "f", version: "0" };
    expect(toInitializeResult(revisionNamed("2025-03-26"), discovered, fallback)).toEqual({
      protocolVersion: "2025-03-26",
      capabilities: { tools: {} },
      serverInfo: fallback,
      instructions: "be nice",
    });
  });
});
