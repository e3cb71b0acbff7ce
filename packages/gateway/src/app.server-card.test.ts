import { describe, expect, it } from "vitest";
import { operate } from "./testing/operated.ts";
import { useTwoUpstreams } from "./testing/two-upstreams.ts";

const { documentOf } = useTwoUpstreams();

describe("the server card", () => {
  it("contains the URL of the endpoint and no upstream names", async () => {
    const card = { name: "com.example/tools", title: "Tools" };
    await using gateway = await operate(documentOf({ publicUrl: "https://gateway.example/mcp", card }));
    const response = await gateway.get("/mcp/server-card", { origin: "https://anybody.example" });
    expect(response.headers.get("content-type")).toBe("application/mcp-server-card+json");
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(await response.json()).toEqual({
      $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
      name: "com.example/tools",
      title: "Tools",
      version: "0.1.0",
      description: "MCP servers behind one stateless endpoint",
      remotes: [
        {
          type: "streamable-http",
          url: "https://gateway.example/mcp",
          supportedProtocolVersions: ["2026-07-28"],
        },
      ],
    });
    const alone = await (await gateway.get("/mcp/gh/server-card")).json();
    expect(alone).toMatchObject({ name: "com.example/tools.gh", remotes: [{ url: "https://gateway.example/mcp/gh" }] });
    expect((await gateway.get("/mcp/nobody/server-card")).status).toBe(404);
  });

  it("is not public when the gateway has no public URL", async () => {
    await using gateway = await operate(documentOf());
    const response = await gateway.get("/mcp/server-card");
    expect(response.headers.get("cache-control")).toBe("no-store");
    const other = await gateway.get("/mcp/server-card", { origin: "https://anybody.example" });
    expect(other.status).toBe(403);
    const card = await response.json();
    expect([card.name, card.remotes[0].url]).toEqual(["local/gateway", gateway.served.url]);
    await using known = await operate(documentOf({ publicUrl: "https://mcp.example.com/mcp" }));
    expect((await (await known.get("/mcp/server-card")).json()).name).toBe("com.example.mcp/gateway");
  });
});
