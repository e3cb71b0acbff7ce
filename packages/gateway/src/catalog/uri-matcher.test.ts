import { describe, expect, it } from "vitest";
import { createUriMatcher } from "./uri-matcher.ts";

describe("a URI template", () => {
  it.each([
    ["test://template/{id}/data", "test://template/123/data", true],
    ["test://template/{id}/data", "test://template/1/2/data", false],
    ["test://template/{id}/data", "test://template/123/data/", false],
    ["demo://text/{id}", "demo://text/7", true],
    ["file:///{+path}", "file:///a/b/c.txt", true],
    ["note://{a}-{b}", "note://x-y", true],
    ["note://{a}-{b}", "note://xy", false],
    ["note://{a}-x{b}x", "note://1-x", false],
    ["x://{a}{?q}", "x://1?q=2/3", true],
    ["plain://uri", "plain://uri", true],
    ["plain://uri", "plain://urI", false],
    ["a.c://{x}", "abc://1", false],
  ])("%s and %s: %s", (template, uri, matches) => {
    expect(createUriMatcher(template)(uri)).toBe(matches);
  });
});
