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
  ])("measureJson estimates at least half of the memory of %s", async (_, json) => {
    const bytes = await heldBytes(() => JSON.parse(json));
    expect(measureJson(json).parsedBytes).toBeGreaterThan(bytes / 2);
  });

  it("measureJson estimates little more than the length of one long string", () => {
    const json = JSON.stringify({ text: 'a "quoted" part, a \\\\ and {[,:]}'.repeat(10_000) });
    expect(measureJson(json).parsedBytes).toBeLessThan(json.length + 1_000);
  });

  it("measureJson ignores the content of strings, also with escapes", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("\\\\", '"', "{", ",", "a") }), (text) => {
        const json = JSON.stringify([text, []]);
        expect(measureJson(json).parsedBytes - json.length).toBe(32 + 24 + 12 + 32);
      }),
    );
  });

  it("measureJson returns the depth of valid JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const { depth } = measureJson(JSON.stringify(value));
        expect(isDeeperThan(depth, value)).toBe(false);
        expect(depth === 0 || isDeeperThan(depth - 1, value)).toBe(true);
      }),
    );
  });

  it("measureJson accepts any text and takes linear time for escaped quotes", () => {
    fc.assert(fc.property(fc.string(), (text) => measureJson(text).parsedBytes >= text.length));
    expect(measureJson(`"${'\\\\"'.repeat(2_000_000)}`).parsedBytes).toBeGreaterThan(0);
  });
});
