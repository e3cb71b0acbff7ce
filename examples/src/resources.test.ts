// The resources example, asked over its fetch handler.
import { describe, expect, it } from "vitest";
import { server } from "./resources.ts";
import { createWireClient } from "./testing/wire-client.ts";

const client = createWireClient(server.fetch);

describe("resources", () => {
  it("resources and resource templates are listed separately (E-78)", async () => {
    expect((await client.ask("resources/list")).result?.resources).toMatchObject([{ uri: "rivers://all" }]);
    expect((await client.ask("resources/templates/list")).result?.resourceTemplates).toMatchObject([
      { uriTemplate: "river://{name}" },
    ]);
  });

  it("the result of resources/read states how long it may be cached (E-50)", async () => {
    const { result } = await client.ask("resources/read", { uri: "rivers://all" });
    expect(result).toMatchObject({
      contents: [{ uri: "rivers://all", mimeType: "application/json", text: '["acheron","lethe","styx"]' }],
      ttlMs: 60_000,
      cacheScope: "public",
    });
  });

  it("a known URI of the template is readable, and an unknown one does not exist (E-79)", async () => {
    const { result } = await client.ask("resources/read", { uri: "river://lethe" });
    expect(result?.contents).toMatchObject([{ text: expect.stringContaining("forgetting") }]);
    const { error } = await client.ask("resources/read", { uri: "river://thames" });
    expect(error).toMatchObject({ code: -32602, data: { uri: "river://thames" } });
  });

  it("completion/complete completes the variable of the template (E-60)", async () => {
    const ref = { type: "ref/resource", uri: "river://{name}" };
    const { result } = await client.ask("completion/complete", { ref, argument: { name: "name", value: "s" } });
    expect(result?.completion).toMatchObject({ values: ["styx"] });
  });
});
