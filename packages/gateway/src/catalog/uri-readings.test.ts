import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createUriReader, readingsOf } from "./uri-readings.ts";

const textsOf = (uri: string) => readingsOf(uri).all.map(({ text }) => text);

describe("the readings of a URI", () => {
  it.each(["file:///data/pub/notes.md", "memo:1", "github://owner/repo@main/a(1).ts", "x-y.z://host:80/v1.2/.hidden"])(
    "a plain URI %s has itself as its only reading",
    (uri) => expect(readingsOf(uri)).toEqual({ all: [{ text: uri, how: [] }], isClear: true }),
  );

  it.each([
    ["dot segments", "file:///data/./pub/../secret", "file:///data/secret"],
    ["encoded dot segments", "file:///data/pub/%2e%2E/secret", "file:///data/secret"],
    ["an encoded slash", "file:///data/pub/..%2fsecret", "file:///data/secret"],
    ["an encoded backslash", "file:///data/pub/..%5csecret", "file:///data/secret"],
    ["a backslash", "file:///data/pub\\..\\secret", "file:///data/secret"],
    ["two layers of escapes", "file:///data/pub/%252e%252e%252fsecret", "file:///data/secret"],
    ["repeated slashes", "file:///data//pub///a", "file:///data/pub/a"],
    ["dot segments after an empty name, for a file system", "file:///data/a//../b", "file:///data/b"],
    ["dot segments after an empty name, for a URL parser", "file:///data/a//../b", "file:///data/a/b"],
    ["one slash after the scheme", "file:/data/a", "file:///data/a"],
    ["an empty host with localhost", "FILE://LocalHost/data/a", "file:///data/a"],
    ["a query", "file:///data/a?x=/../b", "file:///data/a"],
    ["an encoded query", "file:///data/a%3fx", "file:///data/a"],
    ["a fragment", "file:///data/a#b", "file:///data/a"],
    ["escapes that are not needed", "file:///%73ecret%2Dkey", "file:///secret-key"],
    ["escapes that are needed", "file:///my%20priv%C3%A9%24", "file:///my privé$"],
    ["decomposed text", "file:///prive\u0301", "file:///privé"],
    ["full-width text", "file:///data/．．／secret", "file:///secret"],
    ["invisible characters", "file:///se\u200bcret", "file:///secret"],
    ["a plus sign", "file:///my+secret", "file:///my secret"],
    ["spaces around it", " file:///data/a ", "file:///data/a"],
    ["dots and spaces after a name", "file:///data/a. .", "file:///data/a"],
    ["the stream of a file", "file:///data/a::$DATA", "file:///data/a"],
    ["a drive in place of a host", "file://C:/data/a", "file:///C:/data/a"],
    ["a path alone", "/data/a", "file:///data/a"],
    ["a host that is part of the path", "notes://pub/../secret", "notes://secret"],
    ["a host that is not part of the path", "notes://pub/../secret", "notes://pub/secret"],
    ["the host of a web address", "HTTP://Example.COM:80/a", "http://example.com/a"],
  ])("a URI with %s: %s has the reading %s", (_name, uri, reading) => {
    expect(textsOf(uri)).toContain(reading);
    expect(readingsOf(uri).isClear).toBe(true);
  });

  it("keeps reserved characters of a URI distinct from their escaped form", () => {
    expect(textsOf("x-y://a%2fb%20c")).toEqual(["x-y://a%2Fb c", "x-y://a/b c"]);
    expect(textsOf("search://q?a=1%26b=2")[0]).toBe("search://q?a=1%26b=2");
  });

  it.each([
    ["control characters", "file:///data/a\tb"],
    ["an encoded NUL", "file:///data/a%00b"],
    ["an encoded newline behind another escape", "file:///data/a%250ab"],
    ["escapes that are not UTF-8", "file:///data/%C0%AE%C0%AE/a"],
    ["half of a surrogate pair", "file:///data/\ud800"],
    ["a character that is none", "file:///data/\uffff"],
    ["another machine", "file://example.com/data/a"],
    ["a path relative to an unknown folder", "file:secret"],
    ["a path above the top", "notes://a/../../b"],
    ["escapes in escapes without end", `file:///${"%25".repeat(1)}${"25".repeat(100)}41`],
    ["more readings than are looked at", "x://a?b#c\\d%2fe%3ff%23g%5c.././／//+. ?/../x%252f%253f"],
    ["more combining marks than a letter can have", `file:///a${"\u0301".repeat(31)}`],
    ["more text than is looked at", `file:///${"a".repeat(8_192)}`],
    ["more text than is looked at, once it is normalized", `file:///${"\ufdfa".repeat(1_000)}`],
  ])("marks the readings of a URI with %s as unclear", (_name, uri) => {
    expect(readingsOf(uri).isClear).toBe(false);
  });

  it("accepts a template with an expression in place of the host", () => {
    expect(readingsOf("file://{path}", "template").isClear).toBe(true);
    expect(readingsOf("file://{path}").isClear).toBe(false);
  });

  it("bounds the number of readings and finds them in linear time for any text", { timeout: 30_000 }, () => {
    const parts = ["a", "/", "..", ".", "%2f", "%", "25", "?", "#", "\\", "+", "／", "\u0301", " ", "\ufdfa", "file:"];
    const text = fc.array(fc.constantFrom(...parts), { maxLength: 40 }).map((all) => `x://${all.join("")}`);
    fc.assert(
      fc.property(text, fc.nat(100), (part, times) => {
        const { all } = readingsOf(part.repeat(times + 1).slice(0, 8_192));
        return all.length > 0 && all.length <= 64;
      }),
      { numRuns: 100 },
    );
    for (const part of parts) readingsOf(`x://${part.repeat(2_000_000 / part.length)}`);
  });

  it("computes the readings of a URI once for several rules", () => {
    const read = createUriReader();
    const first = read("x-y:a%20b");
    expect(read("x-y:a%20b")).toBe(first);
    expect(read("x-y:a%20b", "template")).not.toBe(first);
  });
});
