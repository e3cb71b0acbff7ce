// Session ids: what they contain, and for whom they open.
import { revisionNamed } from "@lethe/protocol/revisions";
import { describe, expect, it } from "vitest";
import { createKeyRing } from "../../seal/key-ring.ts";
import { createSeal } from "../../seal/seal.ts";
import type { SessionFacts } from "./session-facts.ts";
import { createSessionTokens } from "./session-token.ts";

const ring = createKeyRing();
const facts: SessionFacts = {
  id: "s",
  revision: revisionNamed("2025-06-18"),
  capabilities: { elicitation: {}, experimental: { x: { y: 1 } } },
  clientInfo: { name: "c", version: "1", title: "C" },
};

describe("a session token", () => {
  it("contains the session, and opens only for its caller and until it expires", async () => {
    let now = 0;
    const tokens = createSessionTokens(createSeal(ring, { server: "s", ttlMs: 10, now: () => now }));
    const token = await tokens.mint(facts, "ada");
    expect(token).toMatch(/^[!-~]+$/);
    expect(await tokens.open(token, "ada")).toEqual(facts);
    expect(await tokens.open(token, "eve")).toBeUndefined();
    expect(await tokens.open(token, undefined)).toBeUndefined();
    now = 10;
    expect(await tokens.open(token, "ada")).toBeUndefined();
  });

  it("differs from other tokens sealed with the same keys", async () => {
    const seal = createSeal(ring, { server: "s" });
    const binding = { callerId: undefined, method: "tools/call", target: "t", arguments: "" };
    const state = await seal.seal({ id: "s", revision: "2025-06-18", capabilities: {} }, binding);
    expect(await createSessionTokens(seal).open(state, undefined)).toBeUndefined();
  });
});
