// The resources example, asked over its fetch handler.
import { describe, expect, it } from "vitest";
import { server } from "./resources.ts";
import { createWireClient } from "./testing/wire-client.ts";

const client = createWireClient(server.fetch);

describe("resources", () => {
  it("a fixed resource and a template are listed apart (E-78)", async () => {
    expect((await client.ask("resources/list")).result?.resources).toMatchObject([{ uri: "rivers://all" }]);
    expect((await client.ask("resources/templates/list")).result?.resourceTemplates).toMatchObject([
      { uriTemplate: "river://{name}" },
    ]);
  });

  it("reading says how long the answer may be kept (E-50)", async () => {
    const { result } = await client.ask("resources/read", { uri: "rivers://all" });
    expect(result).toMatchObject({
      contents: [{ uri: "rivers://all", mimeType: "application/json", text: '["acheron","lethe","styx"]' }],
      ttlMs: 60_000,
      cacheScope: "public",
    });
  });

  it("a URI of the template is read, and one of which nothing is known does not exist (E-79)", async () => {
    const { result } = await client.ask("resources/read", { uri: "river://lethe" });
    expect(result?.contents).toMatchObject([{ text: expect.stringContaining("forgetting") }]);
    const { error } = await client.ask("resources/read", { uri: "river://thames" });
    expect(error).toMatchObject({ code: -32602, data: { uri: "river://thames" } });
  });

  it("the variable of the template is completed (E-60)", async () => {
    const ref = { type: "ref/resource", uri: "river://{name}" };
    const { result } = await client.ask("completion/complete", { ref, argument: { name: "name", value: "s" } });
    expect(result?.completion).toMatchObject({ values: ["styx"] });
  });
});
