// Shortening the capabilities and the description of a client to the size of a session id.
import type { ClientCapabilities, JsonObject } from "@lethe/protocol";
import { revisionNamed } from "@lethe/protocol/revisions";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createKeyRing } from "../../seal/key-ring.ts";
import { createSeal } from "../../seal/seal.ts";
import { createSessionTokens } from "./session-token.ts";
import { maxSessionBytes, shortenCapabilities, shortenClientInfo } from "./shorten-client.ts";

const long = "x".repeat(10_000);
const ring = createKeyRing();
const tokens = createSessionTokens(createSeal(ring, { server: "s", maxBytes: maxSessionBytes }));

describe("the facts in a session id", () => {
  it("fit into a header of 4,096 characters for any client", async () => {
    const char = fc.constantFrom("x", "\u4e16", "\u{1f600}", "\u0001", '"', "\ud800", "\u2028");
    const text = fc.array(char, { maxLength: 3_000 }).map((chars) => chars.join(""));
    const declared = fc.dictionary(text, fc.dictionary(text, text, { maxKeys: 3 }), { maxKeys: 3 });
    await fc.assert(
      fc.asyncProperty(text, text, text, declared, async (name, version, title, capabilities) => {
        const facts = {
          id: "A".repeat(22),
          revision: revisionNamed("2025-11-25"),
          capabilities: shortenCapabilities(capabilities as ClientCapabilities),
          clientInfo: shortenClientInfo({ name, version, title }),
        };
        expect((await tokens.mint(facts, "ada")).length).toBeLessThan(4_096);
      }),
      { numRuns: 50 },
    );
  });

  it("keep name, version and title up to 256 bytes, without splitting a character, and no icons", () => {
    const icons = [{ src: `data:image/png;base64,${long}` }];
    expect(shortenClientInfo({ name: "c", version: "1", title: "C", icons })).toEqual({
      name: "c",
      version: "1",
      title: "C",
    });
    expect(shortenClientInfo({ name: long, version: "\u{1f600}".repeat(100) })).toEqual({
      name: "x".repeat(254),
      version: "\u{1f600}".repeat(63),
    });
  });

  it("have no title if the title of the client is not a string", () => {
    const title = { deep: 1 } as unknown as string;
    expect(shortenClientInfo({ name: "c", version: "1", title })).toEqual({ name: "c", version: "1" });
  });

  it("keep capabilities of up to 1,536 bytes as they are", () => {
    const capabilities = { experimental: { a: { b: 1 } }, extensions: { "x/y": { c: [1] } } };
    expect(shortenCapabilities(capabilities)).toBe(capabilities);
  });

  it("lose experimental capabilities first, and then those that the core does not know", () => {
    const extensions = { "x/y": { mimeTypes: ["text/html"] } };
    const elicitation = { url: { note: 1 } };
    expect(shortenCapabilities({ elicitation, extensions, experimental: { long: { long } } })).toEqual({
      elicitation,
      extensions,
    });
    expect(
      shortenCapabilities({ elicitation, sampling: { tools: {} }, roots: {}, extensions: { long: { long } } }),
    ).toEqual({ elicitation: { url: {} }, sampling: { tools: {} }, roots: {} });
  });

  it("reject capabilities nested deeper than 100 levels as invalid params", () => {
    const nested = (levels: number): JsonObject =>
      JSON.parse(`${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`);
    expect(() => shortenCapabilities({ experimental: nested(99) })).not.toThrow();
    for (const levels of [101, 100_000]) {
      expect(() => shortenCapabilities({ experimental: nested(levels) })).toThrow(
        "params.capabilities must not nest deeper than 100 levels",
      );
    }
  });
});
