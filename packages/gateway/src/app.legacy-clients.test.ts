import { describe, expect, it, vi } from "vitest";
import { serveGateway } from "./app.ts";
import { parseSourceFile } from "./config/source-file.ts";
import { toConfig } from "./config/to-config.ts";
import { operate } from "./testing/operated.ts";
import { ci, keys, useTwoUpstreams } from "./testing/two-upstreams.ts";

const fixture = useTwoUpstreams();
const { documentOf } = fixture;

describe("a trailing slash in a URL", () => {
  it("is ignored for clients of every era and for administration", async () => {
    await using gateway = await operate(documentOf({ auth: { keys } }));
    for (const path of ["/mcp/", "/mcp/gh/"]) {
      expect((await gateway.ask("tools/list", {}, { path, key: ci })).status).toBe(200);
      expect((await gateway.ask("tools/list", {}, { path })).status).toBe(401);
      const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "old", version: "1" } };
      const initialized = await fetch(new URL(path, gateway.served.url), {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          authorization: `Bearer ${ci}`,
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
      });
      expect((await initialized.json()).result).toMatchObject({ protocolVersion: "2025-11-25" });
    }
    expect((await gateway.get("/admin/v1/")).status).toBe(200);
    expect((await gateway.get("/admin/v1/upstreams/")).status).toBe(200);
    for (const path of ["/", "/mcp//"]) expect((await gateway.get(path)).status).toBe(404);
  });
});

describe("a legacy client", () => {
  it("gets early bytes of a slow response if the gateway has a keepAliveMs, like a modern client", async () => {
    await using gateway = await operate(documentOf({ keepAliveMs: 100 }));
    const initialize = {
      ...{ jsonrpc: "2.0", id: 0, method: "initialize" },
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "old", version: "1" } },
    };
    const accept = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    // A response to initialize that takes longer than 2 x keepAliveMs is a retryable error.
    const session = await vi.waitUntil(
      async () => {
        const body = JSON.stringify(initialize);
        const response = await fetch(gateway.served.url, { method: "POST", headers: accept, body });
        return response.headers.get("mcp-session-id");
      },
      { timeout: 20_000 },
    );
    const headers = { ...accept, "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" };
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "fs__hold", arguments: {} },
    });
    // Both resolve although the tool has not finished.
    const slow = await fetch(gateway.served.url, { method: "POST", headers, body });
    expect(slow.headers.get("content-type")).toBe("text/event-stream");
    const modern = await gateway.begin("tools/call", { name: "fs__hold", arguments: {} });
    expect(modern.headers.get("content-type")).toBe("text/event-stream");
    await Promise.all([slow.body?.cancel(), modern.body?.cancel()]);
  });

  it("may run as many requests as a modern client", async () => {
    // A session of the upstream itself takes no more than 100.
    await using gateway = await operate(documentOf({ upstreams: { fs: { era: "modern" } } }));
    const send = (body: object, headers = {}) =>
      fetch(gateway.served.url, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
        body: JSON.stringify({ jsonrpc: "2.0", ...body }),
      });
    const clientInfo = { name: "old", version: "1" };
    const begun = await send({
      id: 0,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
    });
    const session = { "mcp-session-id": begun.headers.get("mcp-session-id"), "mcp-protocol-version": "2025-11-25" };
    const before = fixture.upstreams.holding;
    const calls = Array.from({ length: 150 }, (_, index) =>
      send({ id: index + 1, method: "tools/call", params: { name: "fs__hold", arguments: {} } }, session),
    );
    await vi.waitUntil(() => fixture.upstreams.holding === before + 150, { timeout: 10_000 });
    fixture.upstreams.letGo();
    expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([200]));
  });
});

describe("replicas with the keys of their program", () => {
  it("continue legacy sessions of each other", async () => {
    const gateway = { keys: [{ id: "k", key: Buffer.alloc(32, 7).toString("base64url") }] };
    const load = async () =>
      toConfig([parseSourceFile("lethe.json", JSON.stringify(documentOf()))], { environment: {} });
    const start = () => serveGateway({ load, settings: { port: 0 }, watches: false, gateway });
    const [one, other] = [await start(), await start()];
    const send = (url: string, body: object, headers = {}) =>
      fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
        body: JSON.stringify({ jsonrpc: "2.0", ...body }),
      });
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "old", version: "1" } };
    const begun = await send(one.url, { id: 1, method: "initialize", params });
    const session = { "mcp-session-id": begun.headers.get("mcp-session-id"), "mcp-protocol-version": "2025-11-25" };
    expect((await send(other.url, { id: 2, method: "ping" }, session)).status).toBe(200);
    await Promise.all([one.close(), other.close()]);
  });
});
