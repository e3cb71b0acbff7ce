import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCursor, toCursor } from "./cursor.ts";

describe("cursors", () => {
  it("a cursor decodes to the position that it encodes (E-45)", () => {
    fc.assert(
      fc.property(fc.nat({ max: 1_000_000 }), (ordinal) => {
        const cursor = toCursor("tools", ordinal);
        expect(cursor).toMatch(/^[\w-]+$/);
        expect(parseCursor("tools", cursor, ordinal + 1)).toBe(ordinal);
        expect(() => parseCursor("tools", cursor, ordinal)).toThrow("invalid cursor");
        expect(() => parseCursor("prompts", cursor, ordinal + 1)).toThrow("invalid cursor");
      }),
    );
  });

  it("rejects any other text as a cursor with -32602", () => {
    const own = new Set(Array.from({ length: 10 }, (_, ordinal) => toCursor("tools", ordinal)));
    const foreign = fc.oneof(
      fc.string(),
      fc.string().map(btoaSafe),
      fc.constantFrom("tools: 1", "tools:01", "tools:-0").map(btoaSafe),
    );
    fc.assert(
      fc.property(foreign, (text) => {
        fc.pre(!own.has(text));
        expect(() => parseCursor("tools", text, 10)).toThrow("invalid cursor");
      }),
    );
  });
});

function btoaSafe(text: string): string {
  return Buffer.from(text).toString("base64url");
}
