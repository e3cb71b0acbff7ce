import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromBase64url, toBase64url } from "./base64url.ts";

describe("base64url", () => {
  it("base64url encodes any bytes as Node does and decodes them unchanged", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const text = toBase64url(bytes);
        expect(text).toBe(Buffer.from(bytes).toString("base64url"));
        expect(fromBase64url(text)).toEqual(bytes);
      }),
    );
  });

  it("base64url decodes only the canonical text of its bytes", () => {
    const nearlyBase64url = fc.string({ unit: fc.constantFrom(..."AQgwZz09-_=+/ ."), maxLength: 12 });
    fc.assert(
      fc.property(nearlyBase64url, (text) => {
        const bytes = fromBase64url(text);
        if (bytes !== undefined) expect(toBase64url(bytes)).toBe(text);
      }),
    );
  });

  it.each(["A", "AB", "AA==", "A+", "A/", "A A", "AAAAA", "é"])("base64url does not decode %j", (text) => {
    expect(fromBase64url(text)).toBeUndefined();
  });

  it("base64url encodes more bytes than a call accepts arguments", () => {
    const bytes = new Uint8Array(300_000).fill(7);
    expect(fromBase64url(toBase64url(bytes))).toEqual(bytes);
  });
});
