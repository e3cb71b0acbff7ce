// Which upstream a URI of a merged endpoint leads to, while upstreams list and unlist it.
import { describe, expect, it } from "vitest";
import { partOf, rulesOf } from "../testing/catalogs.ts";
import { CatalogMerger } from "./merge-catalogs.ts";

type Lists = Readonly<Record<string, readonly string[]>>;

function setUp(...upstreams: string[]) {
  const merger = new CatalogMerger();
  const wanted = upstreams.map((name) => ({ name, rules: rulesOf(name) }));
  /** What each upstream lists; templates have braces. An upstream that is not named was not read. */
  return (lists: Lists) => {
    const parts = wanted.flatMap(({ name, rules }) => {
      const uris = lists[name];
      if (!uris) return [];
      const resources = uris.filter((uri) => !uri.includes("{")).map((uri) => ({ uri, name: uri }));
      const templates = uris.filter((uri) => uri.includes("{")).map((uriTemplate) => ({ uriTemplate, name: "t" }));
      return [{ ...partOf(name, { resources, templates }), rules }];
    });
    const { uris, resources, templates } = merger.merge(parts, wanted);
    const listed = [...resources.map(({ uri }) => uri), ...templates.map(({ uriTemplate }) => uriTemplate)];
    const ownersOf = (uri: string) => uris.ownersOf(uri).map(({ upstream }) => upstream);
    return { uris, listed, ownersOf };
  };
}

describe("a URI that one upstream lists", () => {
  it("keeps a URI that one upstream lists and routes it there", () => {
    const { listed, ownersOf } = setUp("bank", "evil")({ bank: ["doc:/1"], evil: [] });
    expect(listed).toEqual(["doc:/1"]);
    expect(ownersOf("doc:/1")).toEqual(["bank"]);
  });

  it("routes a listed URI to its upstream even if templates of others match it", () => {
    const { listed, ownersOf } = setUp("evil", "bank")({ evil: ["{+any}", "doc:/{id}"], bank: ["doc:/1"] });
    expect(listed).toContain("doc:/1");
    expect(ownersOf("doc:/1")).toEqual(["bank"]);
  });

  it("routes a URI to no upstream while a second one lists it, and back afterwards", () => {
    const read = setUp("evil", "bank");
    read({ evil: [], bank: ["doc:/1"] });
    const both = read({ evil: ["doc:/1"], bank: ["doc:/1"] });
    expect(both.listed).toEqual(["evil+doc:/1", "bank+doc:/1"]);
    expect(both.uris.isAmbiguous("doc:/1", both.uris.ownersOf("doc:/1"))).toBe(true);
    expect(both.ownersOf("bank+doc:/1")).toEqual(["bank"]);
    const before = read({ evil: [], bank: ["doc:/1"] });
    expect([before.listed, before.ownersOf("doc:/1")]).toEqual([["doc:/1"], ["bank"]]);
  });

  it("never routes a URI to another upstream that lists it after its owner stopped", () => {
    const read = setUp("evil", "bank");
    read({ evil: [], bank: ["doc:/1", "doc:/2"] });
    read({ evil: ["doc:/1"], bank: ["doc:/1", "doc:/2"] });
    const after = read({ evil: ["doc:/1"], bank: ["doc:/2"] });
    expect(after.listed).toEqual(["evil+doc:/1", "doc:/2"]);
    expect(after.ownersOf("doc:/1")).toEqual(["bank"]);
    expect(after.ownersOf("evil+doc:/1")).toEqual(["evil"]);
    const again = read({ evil: [], bank: ["doc:/1", "doc:/2"] });
    expect(again.listed).toContain("doc:/1");
  });

  it("releases a URI when its owner is removed from the configuration", () => {
    const merger = new CatalogMerger();
    const [bank, evil] = ["bank", "evil"].map((name) => ({ name, rules: rulesOf(name) }));
    const listing = (name: string) => partOf(name, { resources: [{ uri: "doc:/1", name: "" }] });
    if (!bank || !evil) throw new Error("there are two");
    merger.merge([{ ...listing("bank"), rules: bank.rules }], [bank, evil]);
    merger.merge([], [evil]);
    const { resources } = merger.merge([{ ...listing("evil"), rules: evil.rules }], [evil]);
    expect(resources.map(({ uri }) => uri)).toEqual(["doc:/1"]);
  });
});

describe("a URI of a user interface", () => {
  it("qualifies every URI of a user interface and treats the plain one as ambiguous", () => {
    const { listed, uris, ownersOf } = setUp("evil", "bank")({ evil: [], bank: ["ui://bank/pay.html"] });
    expect(listed).toEqual(["ui://bank+bank/pay.html"]);
    expect(ownersOf("ui://bank+bank/pay.html")).toEqual(["bank"]);
    expect(uris.isAmbiguous("ui://bank/pay.html", uris.ownersOf("ui://bank/pay.html"))).toBe(true);
  });

  it("qualifies the URI of a user interface of a single upstream and routes the plain one there", () => {
    const { listed, uris } = setUp("bank")({ bank: ["ui://pay", "doc:/{id}"] });
    expect(listed).toEqual(["ui://bank+pay", "doc:/{id}"]);
    expect(uris.isAmbiguous("ui://pay", uris.ownersOf("ui://pay"))).toBe(false);
  });
});

describe("a URI that looks like a qualified one", () => {
  it("publishes a URI that looks like another upstream's for the upstream that lists it", () => {
    const { listed, uris } = setUp("evil", "bank")({ evil: ["bank+doc:/1"], bank: ["doc:/1"] });
    expect(listed).toEqual(["evil+bank+doc:/1", "doc:/1"]);
    expect(uris.ownersOf("evil+bank+doc:/1")).toEqual([{ upstream: "evil", uri: "bank+doc:/1" }]);
    expect(uris.ownersOf("bank+doc:/1")).toEqual([{ upstream: "bank", uri: "doc:/1" }]);
  });
});

describe("a ui:// URI", () => {
  it("qualifies ui:// URIs in any letter case, so that no host confuses upstreams", () => {
    const { listed, uris } = setUp("evil", "bank")({ evil: ["UI://bank+pay"], bank: ["ui://pay"] });
    expect(listed).toEqual(["UI://evil+bank+pay", "ui://bank+pay"]);
    expect(uris.ownersOf("UI://evil+bank+pay")).toEqual([{ upstream: "evil", uri: "UI://bank+pay" }]);
    expect(uris.toPublic("evil", "Ui://bank+pay")).toBe("Ui://evil+bank+pay");
  });
});

describe("a URI template at an endpoint of several upstreams", () => {
  it("qualifies the templates of several upstreams, so that expanded URIs lead to their upstream", () => {
    const { listed, ownersOf } = setUp("evil", "bank")({ evil: ["doc:/7"], bank: ["doc:/{id}"] });
    expect(listed).toEqual(["doc:/7", "bank+doc:/{id}"]);
    expect(ownersOf("bank+doc:/7")).toEqual(["bank"]);
  });
});

describe("a link in a result", () => {
  it("keeps a link that only its upstream lists and qualifies any other", () => {
    const { uris } = setUp("evil", "bank")({ evil: ["doc:/taken"], bank: ["doc:/1", "note:/{id}"] });
    const published = (uri: string) => uris.toPublic("bank", uri);
    expect(published("doc:/1")).toBe("doc:/1");
    expect(published("doc:/unlisted")).toBe("bank+doc:/unlisted");
    expect(published("doc:/taken")).toBe("bank+doc:/taken");
    expect(published("note:/1")).toBe("bank+note:/1");
    expect(published("other:/1")).toBe("bank+other:/1");
    expect(published("ui://x")).toBe("ui://bank+x");
  });

  it("keeps a web link that no upstream lists as a resource, so that clients open it", () => {
    const { uris } = setUp("evil", "bank")({ evil: ["https://evil.example/1"], bank: ["doc:/1"] });
    expect(uris.toPublic("bank", "https://example.com/report.pdf")).toBe("https://example.com/report.pdf");
    expect(uris.toPublic("bank", "https://evil.example/1")).toBe("bank+https://evil.example/1");
    expect(uris.toPublic("evil", "https://evil.example/2")).toBe("evil+https://evil.example/2");
  });
});

it("routes a web link in a result of one upstream to no other upstream with a matching template", () => {
  const { uris, ownersOf } = setUp("evil", "bank")({ evil: ["https://{+any}", "https://evil.example/1"], bank: [] });
  const link = uris.toPublic("bank", "https://bank.example/report");
  expect(link).toBe("https://bank.example/report");
  expect(uris.isAmbiguous(link, uris.ownersOf(link))).toBe(true);
  expect(uris.isAmbiguous("https://evil.example/1", uris.ownersOf("https://evil.example/1"))).toBe(false);
  expect(ownersOf("evil+https://bank.example/report")).toEqual(["evil"]);
});

it("remembers the URIs of one upstream regardless of how many another one lists and unlists", {
  timeout: 20_000,
}, () => {
  const read = setUp("evil", "bank");
  read({ evil: [], bank: ["doc:/1"] });
  read({ evil: [], bank: [] });
  const longUri = (round: number, index: number) => `e:/${round}/${index}/`.padEnd(200, "x");
  for (let round = 0; round < 10; round++) {
    read({ evil: Array.from({ length: 10_000 }, (_, index) => longUri(round, index)), bank: [] });
  }
  const after = read({ evil: ["doc:/1"], bank: [longUri(0, 0), longUri(8, 9_999)] });
  expect(after.listed).toEqual(["evil+doc:/1", longUri(0, 0), `bank+${longUri(8, 9_999)}`]);
});
