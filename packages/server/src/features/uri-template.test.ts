import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { parseUriTemplate } from "./uri-template.ts";

const match = (template: string, uri: string) => parseUriTemplate(template).match(uri);

describe("parseUriTemplate", () => {
  it.each([
    ["note://{id}", "note://7", { id: "7" }],
    ["note://{id}", "note://a%20b%2Fc", { id: "a b/c" }],
    ["test://template/{id}/data", "test://template/42/data", { id: "42" }],
    ["a://{x}.json", "a://x.json.json", { x: "x.json" }],
    ["a://{x}-{y}", "a://1-2-3", { x: "1", y: "2-3" }],
    ["a://{x,y}", "a://1,2", { x: "1", y: "2" }],
    ["file://{+path}", "file:///etc/hosts?x", { path: "/etc/hosts?x" }],
    ["a://{+path}/meta", "a://b/meta/c/meta", { path: "b/meta/c" }],
    ["a://x{#section}", "a://x#s/1", { section: "s/1" }],
    ["a://x{.format}", "a://x.txt", { format: "txt" }],
    ["a:/{/year,month}", "a://2026/07", { year: "2026", month: "07" }],
    ["a://x{;v,w}", "a://x;v=1;w=2", { v: "1", w: "2" }],
    ["a://{db}{?q,limit}", "a://main?limit=5&other=1&q=x%26y", { db: "main", limit: "5", q: "x&y" }],
    ["a://{db}{?q}", "a://main", { db: "main" }],
    ["a://x?fixed=1{&q}", "a://x?fixed=1&q=2", { q: "2" }],
    ["a://{__proto__}", "a://x", JSON.parse('{"__proto__":"x"}')],
  ])("the template %s matches %s and returns its variables (E-78)", (template, uri, variables) => {
    expect(match(template, uri)).toEqual(variables);
  });

  it.each([
    ["note://{id}", "note://"],
    ["note://{id}", "note://a/b"],
    ["note://{id}", "note://a?b"],
    ["note://{id}", "note://%zz"],
    ["note://{id}/x", "note://a/y"],
    ["note://{id}/x", "note:///x"],
    ["a://{x,y}", "a://1"],
    ["{x}a{y}", "ab"],
    ["a://x{;v}", "a://x;w=1"],
    ["a://{db}{?q}", "a://main?q=%zz"],
  ])("the template %s does not match %s", (template, uri) => {
    expect(match(template, uri)).toBeUndefined();
  });

  it.each([
    ["a://{", '"{" without "}"'],
    ["a://}", '"}" without "{"'],
    ["a://{}", "{} must be an expression of RFC 6570, level 1 to 3"],
    ["a://{x*}", "{x*} must be an expression"],
    ["a://{x:3}", "{x:3} must be an expression"],
    ["a://{x}{y}", "nothing tells where {x} ends and {y} begins"],
    ["a://{x}/{x}", 'variable "x" occurs twice'],
    ["a://{?x}/y", "nothing may follow {?x}"],
    ["a://{?x}{y}", "nothing may follow {?x}"],
  ])("rejects the malformed template %s when it is defined", (template, message) => {
    expect(() => parseUriTemplate(template)).toThrow(message);
  });

  it("returns the variables that were encoded into a URI", () => {
    const { match } = parseUriTemplate("a://{x}/b/{y}{?z}");
    const value = fc.string({ minLength: 1, unit: "grapheme" });
    fc.assert(
      fc.property(value, value, value, (x, y, z) => {
        const uri = `a://${encodeURIComponent(x)}/b/${encodeURIComponent(y)}?z=${encodeURIComponent(z)}`;
        expect(match(uri)).toEqual({ x, y, z });
      }),
    );
  });

  it("matches a hostile URI in time proportional to its length", { timeout: 10_000 }, () => {
    const { match } = parseUriTemplate("a://{a}-{b}-{c}-{d}-{e}-{f}-{g}!");
    for (let times = 0; times < 100; times++) expect(match(`a://${"-".repeat(65_000)}`)).toBeUndefined();
  });

  it("decodes nothing of a URI that does not match, because a URI is compared with many templates", () => {
    const decode = vi.spyOn(globalThis, "decodeURIComponent");
    expect(match("a://{x}/{y}/z{?q}", `a://${"b".repeat(60_000)}/c/y`)).toBeUndefined();
    expect(decode).not.toHaveBeenCalled();
    expect(match("a://{x}/{y}/z{?q}", "a://b/c/z?q=d")).toEqual({ x: "b", y: "c", q: "d" });
    expect(decode).toHaveBeenCalledTimes(3);
    decode.mockRestore();
  });

  it("searches no URI that ends with another literal than the template", () => {
    const search = vi.spyOn(String.prototype, "indexOf");
    const template = parseUriTemplate("a://{x}/{y}/z");
    search.mockClear();
    const found = template.match(`a://${"b".repeat(60_000)}/c/y`);
    const searches = search.mock.calls.length;
    search.mockRestore();
    expect([found, searches]).toEqual([undefined, 0]);
  });

  it("rejects a template longer than 2,048 characters", () => {
    expect(match("a://{x}".padEnd(2_048, "y"), "a://z".padEnd(2_046, "y"))).toEqual({ x: "z" });
    expect(() => parseUriTemplate("a://{x}".padEnd(2_049, "y"))).toThrow("longer than 2048 characters");
  });

  it("matches no URI longer than 65,536 characters", () => {
    const { match } = parseUriTemplate("a://{+x}");
    expect(match("a://".padEnd(65_536, "x"))).toEqual({ x: "x".repeat(65_532) });
    expect(match("a://".padEnd(65_537, "x"))).toBeUndefined();
  });
});
