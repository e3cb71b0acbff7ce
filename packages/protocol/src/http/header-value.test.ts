import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { errorCode } from "../jsonrpc/error.ts";
import { decodeHeaderValue, encodeHeaderValue, trimFieldValue } from "./header-value.ts";

const anyText = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }));
const mismatch = expect.objectContaining({ code: errorCode.headerMismatch });

describe("encodeHeaderValue", () => {
  it.each([
    ["Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="],
    [" padded ", "=?base64?IHBhZGRlZCA=?="],
    ["line1\nline2", "=?base64?bGluZTEKbGluZTI=?="],
    ["=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="],
    ["a\tb", "=?base64?YQli?="],
    ["=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="],
  ])("encodes %j as %s (B-61, B-64)", (text, value) => {
    expect(encodeHeaderValue(text)).toBe(value);
    expect(decodeHeaderValue(value)).toBe(text);
  });

  it.each(["", "us-west1", "a b", "=?base64?open", "close?=", "=?BASE64?x?="])("sends %j unchanged (B-61)", (text) => {
    expect(encodeHeaderValue(text)).toBe(text);
    expect(decodeHeaderValue(text)).toBe(text);
  });

  it("decoding restores any well-formed text, which is sent as printable ASCII (B-61)", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const value = encodeHeaderValue(text);
        expect(value).toMatch(/^[\x20-\x7e]*$/);
        expect(new Headers({ x: value }).get("x")).toBe(value);
        expect(decodeHeaderValue(value)).toBe(text);
      }),
    );
  });

  it("encodeHeaderValue rejects a lone surrogate, which no header can represent", () => {
    expect(() => encodeHeaderValue("a\ud800")).toThrow(expect.objectContaining({ code: errorCode.invalidParams }));
    expect(encodeHeaderValue("😀")).toBe("=?base64?8J+YgA==?=");
  });
});

describe("decodeHeaderValue", () => {
  it.each([
    ["no padding", "=?base64?SGVsbG8?="],
    ["a foreign alphabet", "=?base64?SGVs!!!bG8=?="],
    ["the URL alphabet", "=?base64?_-8=?="],
    ["white space", "=?base64?SGVs bG8=?="],
    ["stray bits after the last byte", "=?base64?SGVsbG9=?="],
    ["bytes that are not UTF-8", "=?base64?/w==?="],
    ["a surrogate in UTF-8", "=?base64?7aCA?="],
  ])("a sentinel with %s is a mismatch (B-63)", (_what, value) => {
    expect(() => decodeHeaderValue(value)).toThrow(mismatch);
  });

  it.each(["=?BASE64?SGVsbG8=?=", "SGVsbG8=?=", "=?base64?SGVsbG8=", "=?base64?="])(
    "%s is a literal (B-62)",
    (value) => {
      expect(decodeHeaderValue(value)).toBe(value);
    },
  );

  it.each(["é", "a\u0000b", "a\nb", "\u00a0a", "a\u007f"])("%j is an illegal value (B-31, J-41)", (value) => {
    expect(() => decodeHeaderValue(value)).toThrow(mismatch);
  });

  it("decodeHeaderValue ignores spaces and tabs around a value (B-30)", () => {
    expect(decodeHeaderValue(" \t=?base64?SGVsbG8=?= ")).toBe("Hello");
    expect(decodeHeaderValue("\tplain ")).toBe("plain");
  });

  it("an empty sentinel is the empty text, and a byte order mark is kept", () => {
    expect(decodeHeaderValue("=?base64??=")).toBe("");
    expect(decodeHeaderValue(encodeHeaderValue("\ufeffa"))).toBe("\ufeffa");
  });

  it("decodeHeaderValue returns text or throws a mismatch for any value", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyText,
          anyText.map((text) => `=?base64?${text}?=`),
        ),
        (value) => {
          try {
            expect(decodeHeaderValue(value)).toBeTypeOf("string");
          } catch (error) {
            expect(error).toEqual(mismatch);
          }
        },
      ),
    );
  });
});

it("trimFieldValue removes only spaces and tabs (J-42)", () => {
  expect(trimFieldValue(" \t a b\t ")).toBe("a b");
  expect(trimFieldValue("\u00a0a\n")).toBe("\u00a0a\n");
  expect(trimFieldValue(" \t")).toBe("");
});
