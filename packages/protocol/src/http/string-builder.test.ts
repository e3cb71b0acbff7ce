import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { heldBytes } from "../testing/held-bytes.ts";
import { StringBuilder } from "./string-builder.ts";

describe("StringBuilder", () => {
  it("StringBuilder returns the pieces in order and is empty afterwards", () => {
    const piece = fc.string({ unit: "binary", maxLength: 20 });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 300 }), piece, (pieces, next) => {
        const builder = new StringBuilder();
        for (const text of pieces) builder.append(text);
        const whole = pieces.join("");
        expect(builder.length).toBe(whole.length);
        expect(builder.take()).toBe(whole);
        builder.append(next);
        expect(builder.take()).toBe(next);
      }),
    );
  });

  it("StringBuilder keeps the order of more pieces than two levels hold", () => {
    const pieces = Array.from({ length: 10_000 }, (_, index) => `${index},`);
    const builder = new StringBuilder();
    for (const text of pieces) builder.append(text);
    expect(builder.take()).toBe(pieces.join(""));
  });

  it("StringBuilder takes at most four times the memory of text that arrives in single characters", async () => {
    const length = 2_000_000;
    const builder = new StringBuilder();
    const bytes = await heldBytes(() => {
      for (let count = 0; count < length; count++) builder.append("x");
      return builder;
    });
    expect(bytes).toBeLessThan(4 * length);
  });

  it("StringBuilder does not retain the chunks that its pieces were cut from", async () => {
    const builder = new StringBuilder();
    const bytes = await heldBytes(() => {
      for (let count = 0; count < 2_000; count++) builder.append(`${count}`.padEnd(16_000, "x").slice(0, 20));
      return builder;
    });
    // Fewer than 64 of the 2,000 chunks: the pieces that wait to be joined.
    expect(bytes).toBeLessThan(100 * 16_000);
  });
});
