import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLineDecoder, toLine } from "./line-framing.ts";

type Seen = string | { tooLong: number };

function decode(pieces: readonly Uint8Array[], maxLineBytes?: number): Seen[] {
  const seen: Seen[] = [];
  const decoder = createLineDecoder({
    ...(maxLineBytes === undefined ? {} : { maxLineBytes }),
    onLine: (text) => seen.push(text),
    onTooLong: (bytes) => seen.push({ tooLong: bytes }),
  });
  for (const piece of pieces) decoder.push(piece);
  decoder.end();
  return seen;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("toLine", () => {
  it("toLine writes a message as one line for any content of its strings (C-1)", () => {
    expect(toLine({ jsonrpc: "2.0", method: "a\nb" })).toBe('{"jsonrpc":"2.0","method":"a\\nb"}\n');
    expect(toLine('{"ready":true}')).toBe('{"ready":true}\n');
  });

  it("toLine escapes characters that some readers take for a line end (C-1)", () => {
    expect(toLine({ jsonrpc: "2.0", method: "a\u2028b\u2029" })).toBe(
      '{"jsonrpc":"2.0","method":"a\\u2028b\\u2029"}\n',
    );
    expect(toLine('{"ready":"\u2029"}')).toBe('{"ready":"\\u2029"}\n');
  });

  it("toLine rejects JSON text with a line break, which would be two messages", () => {
    expect(() => toLine("{\n}")).toThrow("must be one line");
  });
});

describe("createLineDecoder", () => {
  it("lines may end in LF or CRLF, blank ones are skipped, the last needs no end (C-1)", () => {
    expect(decode([bytes("a\r\n\n\r\n  \t\n b\nc")])).toEqual(["a", " b", "c"]);
  });

  it("a carriage return inside a line belongs to it", () => {
    expect(decode([bytes("a\rb\r\r\n")])).toEqual(["a\rb\r"]);
  });

  it("the line decoder joins a character that is split between two pieces (C-1)", () => {
    const all = bytes('"é世😀"\n');
    expect(decode(Array.from(all, (_byte, index) => all.subarray(index, index + 1)))).toEqual(['"é世😀"']);
  });

  it("a line that is too long is dropped and reported once, and the stream continues (C-1)", () => {
    const long = "x".repeat(11);
    expect(decode([bytes(`a\n${long}\nb\n`)], 10)).toEqual(["a", { tooLong: 11 }, "b"]);
    expect(decode([bytes("xxxxxx"), bytes("xxxxxx"), bytes("xxxxxx\nb\n")], 10)).toEqual([{ tooLong: 18 }, "b"]);
    expect(decode([bytes(`${"x".repeat(10)}\n${long}`)], 10)).toEqual(["x".repeat(10), { tooLong: 11 }]);
  });

  it("an unfinished line can be dropped, and is reported where it ends", () => {
    const seen: Seen[] = [];
    const decoder = createLineDecoder({
      maxLineBytes: 10,
      onLine: (text) => seen.push(text),
      onTooLong: (tooLong) => seen.push({ tooLong }),
    });
    decoder.push(bytes("a\nxxx"));
    expect(decoder.heldBytes).toBe(3);
    decoder.dropLine();
    expect(decoder.heldBytes).toBe(0);
    decoder.push(bytes("yy\nb"));
    decoder.dropLine();
    decoder.push(bytes("\n"));
    decoder.dropLine();
    decoder.push(bytes("c\n"));
    expect(seen).toEqual(["a", { tooLong: 13 }, { tooLong: 11 }, "c"]);
  });

  it("the line decoder copies a piece, so the caller may reuse its memory", () => {
    const piece = bytes("ab");
    const seen: string[] = [];
    const decoder = createLineDecoder({ onLine: (text) => seen.push(text), onTooLong: () => {} });
    decoder.push(piece);
    piece.fill(0x78);
    decoder.push(bytes("c\n"));
    expect(seen).toEqual(["abc"]);
  });

  it("the line decoder returns the same lines however the bytes are split", () => {
    const word = fc.constantFrom("\n", "\r\n", "\r", " ", "a", "é", "世", "😀", "\ufeff", "xxxxxxxxxxxxxxxxxxxx");
    const text = fc.array(fc.oneof(word.map(bytes), fc.uint8Array({ maxLength: 3 })), { maxLength: 60 });
    fc.assert(
      fc.property(text, fc.array(fc.nat(300)), (parts, cuts) => {
        const all = Uint8Array.from(parts.flatMap((part) => [...part]));
        const places = [0, ...cuts.filter((cut) => cut < all.length).sort((a, b) => a - b), all.length];
        const pieces = places.slice(1).map((place, index) => all.slice(places[index], place));
        expect(decode(pieces, 30)).toEqual(decode([all], 30));
      }),
      { numRuns: 500 },
    );
  });

  it("the line decoder reads back any messages that toLine writes", () => {
    fc.assert(
      fc.property(fc.array(fc.json({ stringUnit: "binary" })), (texts) => {
        const lines = decode([bytes(texts.map((text) => toLine(text)).join(""))]);
        expect(lines.map((line) => JSON.parse(String(line)))).toEqual(texts.map((text) => JSON.parse(text)));
      }),
    );
  });
});
