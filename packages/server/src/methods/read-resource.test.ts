import { describe, expect, it } from "vitest";
import { createServer } from "../create-server.ts";
import { call } from "../testing/call.ts";

const info = { name: "s", version: "1" };
const uri = "a://b";
const fresh = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
const server = () => createServer(info, { serverInfo: false });

describe("resources/read", () => {
  it.each([
    ["text", "x", undefined, [{ uri, mimeType: "text/plain", text: "x" }]],
    ["text of a type", "{}", "application/json", [{ uri, mimeType: "application/json", text: "{}" }]],
    ["bytes", new Uint8Array([255, 0]), undefined, [{ uri, mimeType: "application/octet-stream", blob: "/wA=" }]],
    ["contents", { uri: "a://c", text: "x" }, undefined, [{ uri: "a://c", text: "x" }]],
    ["several contents", [{ uri, text: "x" }], undefined, [{ uri, text: "x" }]],
    ["a full result", { contents: [{ uri, text: "x" }] }, undefined, [{ uri, text: "x" }]],
  ])("resources/read converts %s to a result (E-78)", async (_, value, mimeType, contents) => {
    const handler = () => value as string;
    const options = mimeType === undefined ? { handler } : { handler, mimeType };
    const result = await call(server().resource(uri, options), "resources/read", { uri });
    expect(result).toEqual({ ...fresh, contents });
  });

  it("returns the cache lifetime that the author sets for a resource (E-50)", async () => {
    const one = server().resource(uri, { cache: { ttlMs: 5, cacheScope: "public" }, handler: () => "x" });
    expect(await call(one, "resources/read", { uri })).toMatchObject({ ttlMs: 5, cacheScope: "public" });
  });

  it("matches named resources before templates, and templates in order of registration", async () => {
    const one = server()
      .resourceTemplate("a://{first}", { handler: ({ first }) => `first ${first}` })
      .resourceTemplate("a://{second}", { handler: ({ second }) => `second ${second}` })
      .resource("a://named", { handler: (asked) => `named ${asked}` });
    expect(await call(one, "resources/read", { uri: "a://x%20y" })).toMatchObject({
      contents: [{ uri: "a://x%20y", mimeType: "text/plain", text: "first x y" }],
    });
    expect(await call(one, "resources/read", { uri: "a://named" })).toMatchObject({
      contents: [{ text: "named a://named" }],
    });
  });

  it("rejects an unknown resource, or one without content, with -32602 and its URI (E-79)", async () => {
    const one = server().resourceTemplate("a://{id}", { handler: () => undefined });
    for (const asked of ["a://x", "b://x"]) {
      await expect(call(one, "resources/read", { uri: asked })).rejects.toMatchObject({
        code: -32602,
        data: { uri: asked },
      });
    }
  });

  it("answers for hidden resources and templates as for unknown ones", async () => {
    const one = createServer(info, { visible: ({ kind }) => kind === "tool" });
    one.resource(uri, { handler: () => "x" }).resourceTemplate("c://{id}", { handler: () => "x" });
    for (const asked of [uri, "c://d"]) {
      await expect(call(one, "resources/read", { uri: asked })).rejects.toMatchObject({ data: { uri: asked } });
    }
    expect(await call(one, "resources/templates/list")).toMatchObject({ resourceTemplates: [] });
  });

  it("lists resources with the author's metadata, and with the URI as default name (E-78)", async () => {
    const one = server()
      .resource(uri, { title: "B", size: 3, annotations: { priority: 1 }, handler: () => "x" })
      .resourceTemplate("c://{id}", { name: "c", mimeType: "text/html", handler: () => "x" });
    expect((await call(one, "resources/list")).resources).toEqual([
      { uri, name: uri, title: "B", annotations: { priority: 1 }, size: 3 },
    ]);
    expect((await call(one, "resources/templates/list")).resourceTemplates).toEqual([
      { uriTemplate: "c://{id}", name: "c", mimeType: "text/html" },
    ]);
  });
});
