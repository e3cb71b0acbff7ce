import { describe, expect, it } from "vitest";
import { operate, startUpstreams } from "./testing/operated.ts";
import { ci, keys, ops, useTwoUpstreams } from "./testing/two-upstreams.ts";

const fixture = useTwoUpstreams();
const { documentOf } = fixture;

describe("authentication of callers", () => {
  it("accepts callers with a configured key and rejects all others (G-3)", async () => {
    await using gateway = await operate(documentOf({ auth: { keys } }));
    const { status, headers } = await gateway.ask("tools/list");
    expect([status, headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    expect((await gateway.ask("tools/list", {}, { key: "wrong-key-0123456789" })).status).toBe(401);
    expect((await gateway.ask("tools/list", {}, { key: ci })).status).toBe(200);
    expect((await gateway.ask("tools/list", {}, { key: ci, path: "/mcp/gh" })).status).toBe(200);
    const refusals = gateway.log.filter(({ event }) => event === "request.refused");
    expect(refusals.map(({ remoteAddress }) => remoteAddress)).toEqual(["127.0.0.1", "127.0.0.1"]);
  });

  it("never forwards the key of a caller to an upstream (J-62)", async () => {
    await using gateway = await operate(documentOf({ auth: { keys } }));
    await gateway.ask("tools/call", { name: "gh__read" }, { key: ci });
    expect(new Set(fixture.upstreams.seen.gh)).toEqual(new Set(["Bearer own-gh"]));
  });

  it("tells clients where to get a token and still accepts keys (G-2)", async () => {
    const jwt = { issuer: "https://as.example", jwksUrl: "https://as.example/keys", requiredScopes: ["mcp"] };
    const publicUrl = "https://gateway.example/mcp";
    await using gateway = await operate(documentOf({ publicUrl, auth: { keys, jwt } }));
    const { status, headers } = await gateway.ask("tools/list", {}, { path: "/mcp/gh" });
    expect(status).toBe(401);
    expect(headers.get("www-authenticate")).toContain(
      'resource_metadata="https://gateway.example/.well-known/oauth-protected-resource/mcp"',
    );
    for (const path of ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"]) {
      expect(await (await gateway.get(path)).json()).toEqual({
        resource: publicUrl,
        authorization_servers: ["https://as.example"],
        scopes_supported: ["mcp"],
        bearer_methods_supported: ["header"],
      });
    }
    expect((await gateway.ask("tools/list", {}, { key: ci })).status).toBe(200);
  });

  it.each(["sealed", "off"])(
    "does not reveal server names to callers without credentials on any path, with legacy %s (G-3)",
    async (legacy) => {
      const jwt = { issuer: "https://as.example", jwksUrl: "https://as.example/keys" };
      const publicUrl = "https://gateway.example/mcp";
      await using gateway = await operate(documentOf({ publicUrl, legacy, auth: { keys, jwt } }));
      const seenAt = async (path: string, init: RequestInit) => {
        const response = await fetch(new URL(path, gateway.served.url), init);
        const { date, ...headers } = Object.fromEntries(response.headers);
        return JSON.stringify([response.status, headers, await response.text()]);
      };
      const steps = [
        "/mcp/gh",
        "/mcp/gh/sse",
        "/mcp/gh/sse/messages?session=a",
        "/mcp/gh/server-card",
        "/mcp/gh/other",
      ];
      for (const known of [...steps, "/.well-known/oauth-protected-resource/mcp/gh"]) {
        for (const method of ["GET", "POST", "DELETE", "OPTIONS", "PUT"]) {
          for (const headers of [
            {},
            { authorization: "Bearer wrong-key-0123456789" },
            { authorization: "Basic Zm9vOmJhcg==" },
          ]) {
            const seen = await seenAt(known, { method, headers });
            const guessed = await seenAt(known.replace("gh", "zz"), { method, headers });
            expect(guessed.replaceAll("zz", "gh"), `${method} ${known}`).toBe(seen);
          }
        }
      }
      expect((await gateway.ask("tools/list", {}, { path: "/mcp/nobody" })).status).toBe(401);
      expect((await gateway.get("/mcp/server-card")).status).toBe(200);
    },
  );

  it.each(["sse", "messages"])("serves HTTP+SSE clients of a server named %s (D-32)", async (name) => {
    await using named = await startUpstreams(name);
    await using gateway = await operate({ mcpServers: { [name]: { url: named.urls[name] } } });
    for (const path of [`/mcp/${name}`, `/mcp/${name}/sse`, "/mcp/sse", "/sse"]) {
      const ended = new AbortController();
      const stream = await fetch(new URL(path, gateway.served.url), {
        headers: { accept: "text/event-stream" },
        signal: ended.signal,
      });
      const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
      const endpoint = /data: (\S+)/.exec((await reader?.read())?.value ?? "")?.[1] ?? "";
      const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2024-11-05" } };
      const { status } = await fetch(new URL(endpoint, gateway.served.url), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(initialize),
      });
      expect([status, endpoint], path).toEqual([202, expect.any(String)]);
      ended.abort();
    }
  });

  it("answers 404 to authenticated callers of an unknown server in every era", async () => {
    await using gateway = await operate(documentOf({ auth: { keys } }));
    const headers = { authorization: `Bearer ${ci}`, "content-type": "application/json" };
    const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-06-18" } };
    for (const body of [initialize, { jsonrpc: "2.0", id: 1, method: "tools/list" }, []]) {
      const init = { method: "POST", headers, body: JSON.stringify(body) };
      expect((await fetch(new URL("/mcp/nobody", gateway.served.url), init)).status).toBe(404);
    }
    for (const path of ["/mcp/nobody", "/mcp/nobody/sse"])
      expect((await gateway.get(path, { authorization: `Bearer ${ci}` })).status).toBe(404);
    await using modern = await operate(documentOf({ legacy: "off", auth: { keys } }));
    const { status, body } = await modern.ask("tools/list", {}, { path: "/mcp/nobody", key: ci });
    expect([status, body.error.code]).toEqual([404, -32601]);
    // No server can have these names.
    for (const path of ["/mcp/-", "/mcp/a/b", "/other/gh"]) expect((await gateway.get(path)).status).toBe(404);
  });

  it("rejects capabilities nested 100,000 levels deep as invalid params without logging an error", async () => {
    await using gateway = await operate(documentOf());
    const deep = `${'{"a":'.repeat(100_000)}{}${"}".repeat(100_000)}`;
    const body = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"experimental":${deep}},"clientInfo":{"name":"c","version":"1"}}}`;
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const answer = await fetch(new URL("/mcp", gateway.served.url), { method: "POST", headers, body });
    expect(await answer.json()).toMatchObject({ id: 1, error: { code: -32602 } });
    expect(gateway.log.filter(({ level }) => level === "error")).toEqual([]);
  });

  it("limits the request rate of each caller separately", async () => {
    await using gateway = await operate(documentOf({ auth: { keys }, limits: { requestsPerMinute: 2 } }));
    const statuses = [];
    for (const key of [ci, ci, ci, ops]) statuses.push((await gateway.ask("tools/list", {}, { key })).status);
    expect(statuses).toEqual([200, 200, 429, 200]);
  });
});
