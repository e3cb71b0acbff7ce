import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { heldBytes } from "../testing/held-bytes.ts";
import { ByteBuilder } from "./byte-builder.ts";

describe("ByteBuilder", () => {
  it("ByteBuilder returns the bytes in order and is empty after clear", () => {
    const piece = fc.uint8Array({ maxLength: 700 });
    fc.assert(
      fc.property(fc.array(piece), piece, (pieces, next) => {
        const builder = new ByteBuilder(1_000);
        for (const bytes of pieces) builder.append(bytes);
        const whole = Buffer.concat(pieces);
        expect(builder.length).toBe(whole.length);
        expect(whole.equals(builder.bytes())).toBe(true);
        builder.clear();
        builder.append(next);
        expect(Buffer.from(next).equals(builder.bytes())).toBe(true);
      }),
    );
  });

  it("ByteBuilder copies its pieces, so the caller may reuse their memory", () => {
    const builder = new ByteBuilder(10);
    const piece = Uint8Array.of(1, 2);
    builder.append(piece);
    piece.fill(0);
    expect([...builder.bytes()]).toEqual([1, 2]);
  });

  it("ByteBuilder takes at most three times the memory of bytes that arrive one by one", async () => {
    const length = 2_100_000;
    const builder = new ByteBuilder(Number.POSITIVE_INFINITY);
    const bytes = await heldBytes(() => {
      for (let count = 0; count < length; count++) builder.append(Uint8Array.of(count));
      return builder;
    });
    expect(bytes).toBeLessThan(3 * length);
  });

  it("ByteBuilder keeps at most 64 KiB after clear", async () => {
    const bytes = await heldBytes(() => {
      const builder = new ByteBuilder(Number.POSITIVE_INFINITY);
      builder.append(new Uint8Array(5_000_000));
      builder.clear();
      return builder;
    });
    expect(bytes).toBeLessThan(1_000_000);
  });
});
