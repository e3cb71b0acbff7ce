// Where the names of an endpoint lead, for policy and records.
import { describe, expect, it } from "vitest";
import { mergeCatalogs } from "../../catalog/merge-catalogs.ts";
import { partOf, toolOf } from "../../testing/catalogs.ts";
import { requestOf } from "../../testing/fakes.ts";
import { createLocate, type EdgeEndpoint, upstreamOf } from "./edge-endpoint.ts";

const template = (uriTemplate: string) => ({ name: "note", uriTemplate });
const current = mergeCatalogs([
  partOf("gh", {
    tools: [toolOf("read")],
    prompts: [{ name: "greet" }],
    resources: [{ uri: "memo:1", name: "memo" }],
    templates: [template("note:{any}")],
  }),
  partOf("fs", { templates: [template("note:{id}")] }),
]);
const endpoint: EdgeEndpoint = { path: "/mcp", view: { current }, servable: { dispatch: () => Promise.reject() } };
const locate = createLocate(endpoint, requestOf("tools/list"), undefined);

describe("routing by name", () => {
  it("routes a tool or prompt to its upstream under the upstream's own name", () => {
    expect(locate("tool", "gh__read")).toMatchObject([{ upstream: "gh", name: "read" }]);
    expect(locate("prompt", "gh__greet")).toMatchObject([{ upstream: "gh", name: "greet" }]);
    expect(locate("tool", "other")).toEqual([]);
  });

  it("routes a listed resource to its owner and any other to all upstreams that may have it", () => {
    expect(locate("resource", "memo:1")).toEqual([{ upstream: "gh", name: "memo:1" }]);
    expect(locate("resource", "note:1").map(({ upstream }) => upstream)).toEqual(["gh", "fs"]);
  });

  it("routes a template to the upstream that lists it, even if templates of others match its text", () => {
    expect(locate("template", "note:{id}").map(({ upstream }) => upstream)).toEqual(["fs"]);
    expect(locate("template", "note:1").map(({ upstream }) => upstream)).toEqual(["gh", "fs"]);
    expect(locate("template", "memo:1")).toEqual([]);
  });

  it.each([
    ["tools/call", "gh__read", "gh"],
    ["prompts/get", "gh__greet", "gh"],
    ["resources/read", "memo:1", "gh"],
    ["resources/read", "note:1", "gh"],
    ["tools/call", "unknown", undefined],
    ["tools/list", undefined, undefined],
  ])("attributes %s %s to the upstream %s", (method, name, expected) => {
    expect(upstreamOf(endpoint, method, name)).toBe(expected);
    expect(upstreamOf({ ...endpoint, upstream: "gh" }, method, name)).toBe("gh");
  });
});
