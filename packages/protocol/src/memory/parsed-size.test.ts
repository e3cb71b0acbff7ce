import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isDeeperThan } from "../jsonrpc/depth.ts";
import { heldBytes } from "../testing/held-bytes.ts";
import { measureJson } from "./parsed-size.ts";

const mega = 1024 * 1024;
const repeat = (item: string): string =>
  `[${Array(Math.ceil(mega / (item.length + 1)))
    .fill(item)
    .join()}]`;
const numbered = (toItem: (number: number) => string): string =>
  `[${Array.from({ length: mega / 12 }, (_, index) => toItem(index + 10_000)).join()}]`;

describe("measureJson", () => {
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
    expect(measureJson(json).parsedBytes).toBeGreaterThan(bytes / 2);
  });

  it("is little more than the length of a text that is one long string", () => {
    const json = JSON.stringify({ text: 'a "quoted" part, a \\\\ and {[,:]}'.repeat(10_000) });
    expect(measureJson(json).parsedBytes).toBeLessThan(json.length + 1_000);
  });

  it("counts nothing inside strings, however they are escaped", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("\\\\", '"', "{", ",", "a") }), (text) => {
        const json = JSON.stringify([text, []]);
        expect(measureJson(json).parsedBytes - json.length).toBe(32 + 24 + 12 + 32);
      }),
    );
  });

  it("tells how deep valid JSON nests", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const { depth } = measureJson(JSON.stringify(value));
        expect(isDeeperThan(depth, value)).toBe(false);
        expect(depth === 0 || isDeeperThan(depth - 1, value)).toBe(true);
      }),
    );
  });

  it("takes any text, and one of nothing but escaped quotes in linear time", () => {
    fc.assert(fc.property(fc.string(), (text) => measureJson(text).parsedBytes >= text.length));
    expect(measureJson(`"${'\\\\"'.repeat(2_000_000)}`).parsedBytes).toBeGreaterThan(0);
  });
});
