import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createUriPatterns } from "./uri-patterns.ts";
import { readingsOf } from "./uri-readings.ts";

const some = (pattern: string, uri: string) => createUriPatterns([pattern]).matchesSome(readingsOf(uri));
const every = (pattern: string, uri: string) => createUriPatterns([pattern]).matchesEvery(readingsOf(uri));

describe("patterns of URIs", () => {
  it.each([
    ["file:///data/*", "file:///data/a"],
    ["file:/data/*", "file:///data/a"],
    ["FILE://localhost/data/*", "file:///data/a"],
    ["file:///data/my secret*", "file:///data/my%20secret.txt"],
    ["file:///data/my%20secret*", "file:///data/my secret.txt"],
    ["file:///data/priv%c3%a9*", "file:///data/privé.txt"],
    ["file:///data/prive\u0301*", "file:///data/priv%C3%A9.txt"],
    ["file:///data/a$b*", "file:///data/a%24b.txt"],
    ["file:///data/100%25*", "file:///data/100%25.txt"],
    ["file:///data/star%2A.txt", "file:///data/star*.txt"],
    ["file:*", "file:///data/a"],
    ["file://*", "file:///data/a"],
    ["*/notes.md", "x://a/notes.md"],
    ["*://a/*", "x-y://a/b"],
    ["memo:*", "memo:1"],
    ["search://q?text=*", "search://q?text=a%20b"],
    ["x://a%2Fb/*", "x://a%2fb/c"],
    ["notes://*/*", "notes:///"],
    ["notes://ΑΣ*", "notes://ΑΣΑ"],
    ["https://EXAMPLE.com/*", "https://example.com:443/a"],
    ["*", "file:///data/a%00"],
  ])("pattern %s matches %s in every reading", (pattern, uri) => {
    expect([every(pattern, uri), some(pattern, uri)]).toEqual([true, true]);
  });

  it.each([
    ["file:///data/pub/*", "file:///data/pub/../secret"],
    ["file:///data/pub/*", "file:///data/pub/..%2fsecret"],
    ["file:///data/pub/*", "file:///data/pub/．．／secret"],
    ["file:///data/pub/*", "file:///data/pub\\..\\..\\pub/a"],
    ["file:///data/*", "file:///data/a%00"],
    ["file:///data/secret*", "file:///data/Secret"],
    ["file:///data/secret*", "file:////data/secret"],
    ["file:///data/secret*", "file:secret"],
    ["file:///data/secret", "file:///data/secret/"],
    ["file:///data/secret", "file:///data/ſecret"],
    ["file:///data/private/*", "file:///data/private"],
    ["x://a%2Fb/*", "x://a/b/c"],
    ["x://a/b/*", "x://a%2Fb/c"],
    ["notes://secret*", "notes:///secret"],
    ["notes://secret*", "notes://pub/../secret"],
    ["search://q", "search://q?text=a"],
  ])("pattern %s matches %s in some reading only", (pattern, uri) => {
    expect([every(pattern, uri), some(pattern, uri)]).toEqual([false, true]);
  });

  it.each([
    ["file:///data/secret*", "file:///data/public"],
    ["file:///data/secret*", "file:///data/pub/secret"],
    ["file:///data/star%2A.txt", "file:///data/starry.txt"],
    ["notes://secret*", "notes://pub/secret"],
    ["x://a/*", "y-z://a/b"],
  ])("pattern %s does not match %s", (pattern, uri) => {
    expect([every(pattern, uri), some(pattern, uri)]).toEqual([false, false]);
  });

  it("different patterns of a list may match the readings of one URI", () => {
    const { matchesEvery } = createUriPatterns(["file:///data/pub/*", "file:///data/docs/*"]);
    expect(matchesEvery(readingsOf("file:///data/pub/../docs/a"))).toBe(true);
  });

  it("an empty list of patterns matches nothing", () => {
    const { matchesEvery, matchesSome } = createUriPatterns([]);
    expect([matchesEvery(readingsOf("x://a")), matchesSome(readingsOf("x://a%00"))]).toEqual([false, false]);
  });

  it("a list of patterns that matches every reading also matches some reading", () => {
    const text = fc
      .array(fc.constantFrom("a", "B", "/", "..", "%2f", "%25", "*", "?", "\\", "é", " ", "Σ"), { maxLength: 8 })
      .map((parts) => `notes://${parts.join("")}`);
    fc.assert(
      fc.property(text, text, (pattern, uri) => !every(pattern, uri) || some(pattern, uri)),
      { numRuns: 500 },
    );
  });
});
