// The ring that keeps what a server last wrote to stderr.
import fc from "fast-check";
import { expect, it } from "vitest";
import { createByteTail } from "./byte-tail.ts";

it("the last bytes are kept for any chunk sizes", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: "grapheme-ascii", maxLength: 12 })),
      fc.integer({ min: 1, max: 9 }),
      (chunks, max) => {
        const tail = createByteTail(max);
        for (const chunk of chunks) tail.push(Buffer.from(chunk));
        expect(tail.text()).toBe(chunks.join("").slice(-max));
      },
    ),
  );
});

it("a character that the limit cut in two is left out", () => {
  const tail = createByteTail(4);
  tail.push(Buffer.from("aé€"));
  expect(tail.text()).toBe("€");
});
