import { describe, expect, it, vi } from "vitest";
import { createUriRule } from "./uri-rule.ts";

describe("allow and deny lists of resources", () => {
  it("offers every resource without allow and deny lists", () => {
    const { offers, offersFrom } = createUriRule();
    expect([offers("file:///a%00"), offersFrom("x://{id}")("x://../a")]).toEqual([true, true]);
  });

  it("denies a URI in any spelling", () => {
    const { offers, offersFrom } = createUriRule({ deny: ["file:///data/secret*"] });
    for (const uri of ["file:///data/secret", "file:////data//secret", "file:///data/%73ecret", "file:///data/a%00"]) {
      expect([offers(uri), offersFrom("file:///{+path}")(uri)], uri).toEqual([false, false]);
    }
    expect([offers("file:///data/public"), offersFrom("file:///{+path}")("file:///data/public")]).toEqual([true, true]);
  });

  it("allows a URI if every reading is allowed", () => {
    const { offers } = createUriRule({ allow: ["file:///data/pub/*"] });
    expect(offers("file:///data/pub/a b")).toBe(true);
    expect(offers("file:///data/pub/..%2fsecret")).toBe(false);
  });

  it("allows a template by its text if the URIs it matches stay below it", () => {
    const { offers, offersFrom } = createUriRule({ allow: ["file:///data/pub/{name}"] });
    const offersName = offersFrom("file:///data/pub/{name}");
    expect(offers("file:///data/pub/{name}", "template")).toBe(true);
    expect(offersName("file:///data/pub/a%2Fb")).toBe(true);
    expect(offersName("file:///data/pub/..%2fsecret")).toBe(false);
    expect(offersFrom("notes://*/{id}")("notes://a/1")).toBe(false);
  });

  it("reads the allow list once for any number of templates", () => {
    const stepsOf = (count: number) => {
      const allow = Array.from({ length: count }, (_, index) => `notes://a/${index}`);
      const { offersFrom } = createUriRule({ allow });
      const reads = vi.spyOn(String.prototype, "replaceAll");
      const offers = offersFrom("files://{name}");
      const { length } = reads.mock.calls;
      reads.mockRestore();
      expect([offers("files://b"), offers("notes://a/1"), offers("notes://b")]).toEqual([true, true, false]);
      return length;
    };
    expect(stepsOf(200)).toBe(stepsOf(100));
  });
});
