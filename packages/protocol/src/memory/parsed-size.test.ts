import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { heldBytes } from "../testing/held-bytes.ts";
import { estimateParsedBytes } from "./parsed-size.ts";

const mega = 1024 * 1024;
const repeat = (item: string): string =>
  `[${Array(Math.ceil(mega / (item.length + 1)))
    .fill(item)
    .join()}]`;
const numbered = (toItem: (number: number) => string): string =>
  `[${Array.from({ length: mega / 12 }, (_, index) => toItem(index + 10_000)).join()}]`;

describe("estimateParsedBytes", () => {
  it.each([
    ["empty objects", repeat("{}")],
    ["empty arrays", repeat("[]")],
    ["numbers", repeat("1")],
    ["fractions", repeat("0.123456")],
    ["short strings", numbered((number) => `"${number}"`)],
    ["objects of different members", numbered((number) => `{"${number}":1}`)],
    ["nested objects", repeat('{"a":{"b":[1]}}')],
    ["one long string", JSON.stringify("an ordinary sentence, with a comma. ".repeat(mega / 36))],
  ])("is at least half of what %s take", async (_, json) => {
    const bytes = await heldBytes(() => JSON.parse(json));
    expect(estimateParsedBytes(json)).toBeGreaterThan(bytes / 2);
  });

  it("is little more than the length of a text that is one long string", () => {
    const json = JSON.stringify({ text: 'a "quoted" part, a \\\\ and {[,:]}'.repeat(10_000) });
    expect(estimateParsedBytes(json)).toBeLessThan(json.length + 1_000);
  });

  it("counts nothing inside strings, however they are escaped", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("\\\\", '"', "{", ",", "a") }), (text) => {
        const json = JSON.stringify([text, []]);
        expect(estimateParsedBytes(json) - json.length).toBe(32 + 24 + 12 + 32);
      }),
    );
  });

  it("takes any text, and one of nothing but escaped quotes in linear time", () => {
    fc.assert(fc.property(fc.string(), (text) => estimateParsedBytes(text) >= text.length));
    expect(estimateParsedBytes(`"${'\\\\"'.repeat(2_000_000)}`)).toBeGreaterThan(0);
  });
});
