import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createQualifiedUris, toLabel } from "./public-uris.ts";

const names = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$/);

describe("qualified URIs", () => {
  const uris = createQualifiedUris(["bank", "My_Server", "1mcp"]);

  it.each([
    ["bank", "file:///a.txt", "bank+file:///a.txt"],
    ["bank", "ui://bank/pay.html", "ui://bank+bank/pay.html"],
    ["bank", "UI://evil+pay.html", "UI://bank+evil+pay.html"],
    ["bank", "note:///{+path}", "bank+note:///{+path}"],
    ["bank", "{+any}", "bank+{+any}"],
    ["My_Server", "x:/1", "u..4dy.5f.53erver+x:/1"],
    ["1mcp", "x:/1", "u.1mcp+x:/1"],
  ])("the qualified URI of %s for %s is %s and resolves back", (upstream, uri, expected) => {
    expect(uris.qualify(upstream, uri)).toBe(expected);
    expect(uris.resolve(expected)).toEqual({ upstream, uri });
  });

  it("resolves a qualified URI with a scheme in other letter case", () => {
    expect(uris.resolve("BANK+file:///a.txt")).toEqual({ upstream: "bank", uri: "file:///a.txt" });
  });

  it("rejects a qualified URI without the name of an upstream of the endpoint", () => {
    for (const uri of ["other+x:/1", "+x:/1", "x:/1+2", "ui://x/1", "", "+"]) {
      expect(uris.resolve(uri)).toBeUndefined();
    }
  });

  it("makes qualified URIs with a valid scheme that resolve back and are distinct per upstream, for any name and URI", () => {
    fc.assert(
      fc.property(fc.uniqueArray(names, { minLength: 2, maxLength: 5 }), fc.webUrl(), (upstreams, uri) => {
        const { qualify, resolve } = createQualifiedUris(upstreams);
        expect(new Set(upstreams.map(toLabel)).size).toBe(upstreams.length);
        for (const upstream of upstreams) {
          expect(toLabel(upstream)).toMatch(/^[a-z][a-z0-9.-]*$/);
          for (const own of [uri, uri.replace(/^https?/, "ui"), qualify(upstreams[0] ?? "", uri)]) {
            expect(resolve(qualify(upstream, own))).toEqual({ upstream, uri: own });
          }
        }
      }),
    );
  });
});
