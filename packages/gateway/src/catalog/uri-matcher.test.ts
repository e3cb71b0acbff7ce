import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createUriMatcher } from "./uri-matcher.ts";

describe("URI template matching", () => {
  it.each([
    ["test://template/{id}/data", "test://template/123/data", true],
    ["test://template/{id}/data", "test://template/1/2/data", false],
    ["test://template/{id}/data", "test://template/123/data/", false],
    ["demo://text/{id}", "demo://text/7", true],
    ["file:///{+path}", "file:///a/b/c.txt", true],
    ["file:///{+path}/{name}", "file:///a/b/c.txt", true],
    ["file:///{+path}/{name}.txt", "file:///a.txt/b/c.txt", true],
    ["file:///{+path}/{name}.txt", "file:///c.txt", false],
    ["x:{a}/{+path}.{ext}", "x:1/2/3.4/5.6", true],
    ["x:{a}-{+path}.{ext}", "x:1/2-3.4", false],
    ["x:{+a}/{b}/{+c}", "x:1/2/3/4", true],
    ["x:{+a}{+b}", "x:", true],
    ["x:{+a}ab{b}ba", "x:aba", false],
    ["note://{a}-{b}", "note://x-y", true],
    ["note://{a}-{b}", "note://xy", false],
    ["note://{a}-x{b}x", "note://1-x", false],
    ["x://{a}{?q}", "x://1?q=2/3", true],
    ["plain://uri", "plain://uri", true],
    ["plain://uri", "plain://urI", false],
    ["a.c://{x}", "abc://1", false],
    ["x:{", "x:{", true],
    ["x:{a}/{b", "x:1/{b", true],
    ["x:{a}/{b", "x:1/2", false],
    ["x:{{a}", "x:1", true],
    ["x:{}", "x:1", true],
    ["x:}{a}", "x:}1", true],
  ])("matches template %s against %s: %s", (template, uri, matches) => {
    expect(createUriMatcher(template).matches(uri)).toBe(matches);
  });

  it("matches a URI template as the equivalent regular expression does", () => {
    const parts = fc.array(fc.constantFrom("{a}", "{+b}", "/", "-", "x", "xx"), { maxLength: 7 });
    const uri = fc.array(fc.constantFrom("/", "-", "x", "xx", "y"), { maxLength: 12 });
    fc.assert(
      fc.property(parts, uri, (template, pieces) => {
        // Between two expressions that span slashes, a simple one may do so, too.
        fc.pre(template.lastIndexOf("{+b}") === template.indexOf("{+b}"));
        const source = template.join("").replaceAll("{a}", "[^/]*").replaceAll("{+b}", ".*");
        const text = `s:${pieces.join("")}`;
        expect(createUriMatcher(`s:${template.join("")}`).matches(text)).toBe(new RegExp(`^s:${source}$`).test(text));
      }),
      { numRuns: 3_000 },
    );
  });

  it("returns the literal text before the first expression of a template", () => {
    const prefixes = ["x:/{a}/{b}", "{+any}", "x:/plain", "x:/{"].map((template) => createUriMatcher(template).prefix);
    expect(prefixes).toEqual(["x:/", "", "x:/plain", "x:/{"]);
  });

  it("parses a template with a million unclosed braces in linear time", { timeout: 10_000 }, () => {
    const braces = "{".repeat(1_000_000);
    expect(createUriMatcher(braces).matches(braces)).toBe(true);
    expect(createUriMatcher(`${braces}}`).matches("any")).toBe(true);
    expect(createUriMatcher("{a}".repeat(300_000)).matches("any")).toBe(true);
  });

  it("matches a template with repetitive literal text in linear time", { timeout: 10_000 }, () => {
    const literal = `b${"a".repeat(200_000)}`;
    const { matches } = createUriMatcher(`x:{+first}${literal}{+rest}`);
    expect(matches(`x:${"a".repeat(2_000_000)}`)).toBe(false);
    expect(matches(`x:${"a".repeat(1_000_000)}${literal}`)).toBe(true);
    const simple = createUriMatcher(`x:{+first}${literal}{rest}`);
    expect(simple.matches(`x:${"a".repeat(2_000_000)}`)).toBe(false);
    expect(simple.matches(`x:${literal}/${"a".repeat(1_000_000)}${literal}`)).toBe(true);
  });
});
