// A gateway in operation: who gets in, what they see, what operators see, and what happens when its file changes.
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@lethe/client/node";
import { clientInfoOf, McpError, type Result, tasksExtension } from "@lethe/protocol";
import { createServer } from "@lethe/server";
import { serve } from "@lethe/server/node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { serveGateway } from "./app.ts";
import { readConfig, toConfig } from "./config/read-config.ts";
import { parseSourceFile } from "./config/source-file.ts";
import type { UpstreamConfig } from "./config/upstream-config.ts";
import { type Operated, operate, startUpstreams, type Upstreams } from "./testing/operated.ts";

let upstreams: Upstreams;
beforeAll(async () => {
  upstreams = await startUpstreams("gh", "fs");
});
afterAll(() => upstreams[Symbol.asyncDispose]());

const keys = [
  { id: "ci", key: "key-of-ci-0123456789" },
  { id: "ops", key: "key-of-ops-0123456789", scopes: ["admin"] },
];
const [ci, ops] = keys.map(({ key }) => key) as [string, string];

function documentOf(gateway: object = {}, names: readonly string[] = ["gh", "fs"]): object {
  const servers = names.map((name) => [
    name,
    { url: upstreams.urls[name], headers: { authorization: `Bearer own-${name}` } },
  ]);
  return { mcpServers: Object.fromEntries(servers), gateway };
}

const toolsOf = ({ body }: Awaited<ReturnType<Operated["ask"]>>) =>
  body.result.tools.map(({ name }: { name: string }) => name);

describe("who may call", () => {
  it("whoever has a key, and nobody else (G-3)", async () => {
    await using gateway = await operate(documentOf({ auth: { keys } }));
    const { status, headers } = await gateway.ask("tools/list");
    expect([status, headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    expect((await gateway.ask("tools/list", {}, { key: "wrong-key-0123456789" })).status).toBe(401);
    expect((await gateway.ask("tools/list", {}, { key: ci })).status).toBe(200);
    expect((await gateway.ask("tools/list", {}, { key: ci, path: "/mcp/gh" })).status).toBe(200);
    const refusals = gateway.log.filter(({ event }) => event === "request.refused");
    expect(refusals.map(({ remoteAddress }) => remoteAddress)).toEqual(["127.0.0.1", "127.0.0.1"]);
  });

  it("the key of the caller never reaches an upstream (J-62)", async () => {
    await using gateway = await operate(documentOf({ auth: { keys } }));
    await gateway.ask("tools/call", { name: "gh__read" }, { key: ci });
    expect(new Set(upstreams.seen.gh)).toEqual(new Set(["Bearer own-gh"]));
  });

  it("with tokens, clients are told where to get one (G-2), and keys go on working", async () => {
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
    "whoever has no credentials cannot tell which servers there are, on any path that a name is in, with legacy %s (G-3)",
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

  it.each(["sse", "messages"])("a client of HTTP+SSE can use a server that is named %s (D-32)", async (name) => {
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

  it("whoever has a key is told that there is no such server, in every era", async () => {
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

  it("not with capabilities that nest 100,000 levels deep: they are invalid params, in the log there is no error", async () => {
    await using gateway = await operate(documentOf());
    const deep = `${'{"a":'.repeat(100_000)}{}${"}".repeat(100_000)}`;
    const body = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"experimental":${deep}},"clientInfo":{"name":"c","version":"1"}}}`;
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const answer = await fetch(new URL("/mcp", gateway.served.url), { method: "POST", headers, body });
    expect(await answer.json()).toMatchObject({ id: 1, error: { code: -32602 } });
    expect(gateway.log.filter(({ level }) => level === "error")).toEqual([]);
  });

  it("nobody more often than the limit says, each for himself", async () => {
    await using gateway = await operate(documentOf({ auth: { keys }, limits: { requestsPerMinute: 2 } }));
    const statuses = [];
    for (const key of [ci, ci, ci, ops]) statuses.push((await gateway.ask("tools/list", {}, { key })).status);
    expect(statuses).toEqual([200, 200, 429, 200]);
  });
});

describe("who may use what", () => {
  const policy = [
    { effect: "allow", scopes: ["admin"] },
    { effect: "allow", callers: ["key ci"], upstreams: ["gh"], tools: ["read"], resources: ["memo:gh"] },
  ];

  it("lists show what their reader may use, on every path", async () => {
    await using gateway = await operate(documentOf({ auth: { keys }, policy }));
    expect(toolsOf(await gateway.ask("tools/list", {}, { key: ci }))).toEqual(["gh__read"]);
    expect(toolsOf(await gateway.ask("tools/list", {}, { key: ci, path: "/mcp/gh" }))).toEqual(["read"]);
    expect(toolsOf(await gateway.ask("tools/list", {}, { key: ci, path: "/mcp/fs" }))).toEqual([]);
    expect(toolsOf(await gateway.ask("tools/list", {}, { key: ops }))).toHaveLength(6);
    const { body } = await gateway.ask("resources/list", {}, { key: ci });
    expect(body.result.resources).toMatchObject([{ uri: "memo:gh" }]);
    expect(body.result.cacheScope).toBe("private");
  });

  it("what a rule denies does not exist, and what a scope would open names the scope (G-4)", async () => {
    await using gateway = await operate(
      documentOf({ auth: { keys }, policy: [{ effect: "deny", tools: ["write"] }, ...policy] }),
    );
    const denied = await gateway.ask("tools/call", { name: "gh__write" }, { key: ops });
    expect([denied.status, denied.body.error.message]).toEqual([200, "unknown tool: gh__write"]);
    const lacking = await gateway.ask("tools/call", { name: "fs__read" }, { key: ci });
    expect(lacking.status).toBe(403);
    expect(lacking.headers.get("www-authenticate")).toBe('Bearer error="insufficient_scope", scope="admin"');
    const allowed = await gateway.ask("tools/call", { name: "gh__read" }, { key: ci });
    expect(allowed.body.result.content).toEqual([{ type: "text", text: "gh read" }]);
    expect((await gateway.ask("resources/read", { uri: "memo:gh" }, { key: ci })).status).toBe(200);
    expect((await gateway.ask("resources/read", { uri: "memo:fs" }, { key: ci })).status).toBe(403);
  });

  it("a URI that several upstreams may have leads to the only one that the caller may read (J-45)", async () => {
    const rules = [{ effect: "allow", callers: ["key ci"], upstreams: ["fs"] }];
    await using gateway = await operate(
      documentOf({ auth: { keys }, policy: [...rules, { effect: "allow", scopes: ["admin"] }] }),
    );
    const read = async (uri: string, key: string) => (await gateway.ask("resources/read", { uri }, { key })).body;
    expect((await read("note:1", ops)).error.data).toEqual({
      uri: "note:1",
      candidates: ["gh+note:1", "fs+note:1"],
    });
    expect((await read("gh+note:1", ops)).result.contents[0].text).toBe("gh note 1");
    expect((await read("note:1", ci)).result.contents[0].text).toBe("fs note 1");
    expect((await read("gh+note:1", ci)).error.message).not.toContain("fs");
    const { body } = await gateway.ask("resources/templates/list", {}, { key: ci });
    expect(body.result.resourceTemplates).toHaveLength(1);
  });

  it("a caller may have a way of its own into an upstream, or be the only ones to have any", async () => {
    const credentials = { callers: { "key ci": { headers: { authorization: "Bearer of-ci" } } }, callerRequired: true };
    await using gateway = await operate(documentOf({ auth: { keys }, upstreams: { fs: { credentials } } }));
    const before = upstreams.seen.fs?.length;
    await gateway.ask("tools/call", { name: "fs__read" }, { key: ci });
    expect(upstreams.seen.fs?.slice(before)).toContain("Bearer of-ci");
    const { body } = await gateway.ask("tools/call", { name: "fs__read" }, { key: ops });
    expect(body.error).toMatchObject({ code: -32603, data: { reason: "unauthorized", upstream: "fs" } });
    expect(upstreams.seen.fs?.slice(before)).not.toContain(`Bearer ${ci}`);
  });
});

describe("operators", () => {
  const read = async (gateway: Operated, path: string, key?: string) =>
    (await gateway.get(path, key === undefined ? {} : { authorization: `Bearer ${key}` })).json();

  it("see what each upstream is, and what shows it, without secrets", async () => {
    await using gateway = await operate(documentOf());
    const [gh] = (await read(gateway, "/admin/upstreams")).upstreams;
    expect(gh).toMatchObject({
      use: "one connection for all",
      verdict: {
        word: "STATELESS",
        source: "probe",
        contract: "none",
        transport: "streamable-http",
        eras: {
          modern: { isSpoken: true, word: "STATELESS", revisions: ["2026-07-28"] },
          legacy: { isSpoken: true, word: "STATEFUL", revisions: ["2025-11-25"] },
        },
        features: { server: { name: "gh", version: "1.0.0" }, capabilities: expect.arrayContaining(["tools"]) },
        evidence: expect.arrayContaining(["modern: modern tools/list was answered without any session"]),
      },
    });
    expect(JSON.stringify(gh)).not.toContain("own-gh");
    expect(gateway.served.view().upstreams[0]).toEqual(gh);
    expect(gateway.log.filter(({ event }) => event === "upstream.verdict")).toMatchObject([
      { level: "info", upstream: "gh", word: "STATELESS", sharing: "shared", source: "probe" },
      { level: "info", upstream: "fs" },
    ]);
  });

  it("is ready, and calls are answered, while servers are still being probed", async () => {
    const server = createServer({ name: "slow", version: "1.0.0" });
    server.tool("t", { handler: () => "answered" });
    let letGo = (): void => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    server.use((next) => async (request, exchange) => {
      if (clientInfoOf(request)?.name !== "lethe-gateway") await held;
      return next(request, exchange);
    });
    const serving = await serve(server, { port: 0 });
    const document = JSON.stringify({ mcpServers: { slow: { url: serving.url } } });
    const load = async () => toConfig([parseSourceFile("lethe.json", document)], { environment: {} });
    const served = await serveGateway({ load, settings: { port: 0 }, watches: false });
    await served.gateway.started;
    let isSettled = false;
    const settled = served.gateway.settled.then(() => {
      isSettled = true;
    });
    await expect.poll(async () => (await fetch(new URL("/readyz", served.url))).status).toBe(200);
    const client = await connect(served.url);
    expect(await client.callTool("slow__t")).toMatchObject({ content: [{ text: "answered" }] });
    expect([isSettled, served.view().upstreams[0]?.verdict?.source]).toEqual([false, "connection"]);
    letGo();
    await settled;
    expect(served.view().upstreams[0]?.verdict?.source).toBe("probe");
    await client.close();
    await served.close();
    await serving.close({ graceMs: 0 });
  });

  it("may have nothing probed", async () => {
    await using gateway = await operate(documentOf({ probe: false }));
    // What there is to know is told all the same.
    await expect.poll(() => gateway.log.filter(({ event }) => event === "upstream.verdict")).toHaveLength(2);
    const [gh] = gateway.served.view().upstreams;
    expect(gh?.verdict).toMatchObject({ source: "connection", eras: { legacy: { isSpoken: null } } });
  });

  it("see upstreams, sessions and exchanges from this machine, without arguments", async () => {
    await using gateway = await operate(documentOf({ auth: { keys } }));
    await gateway.ask("tools/call", { name: "gh__read", arguments: { note: "private" } }, { key: ci });
    expect(await read(gateway, "/admin")).toMatchObject({ state: "serving", upstreams: { ready: 2 }, pendingCalls: 0 });
    const { upstreams: listed } = await read(gateway, "/admin/upstreams");
    expect(listed).toMatchObject([
      {
        name: "gh",
        kind: "http",
        state: "ready",
        era: "modern",
        sharing: "shared",
        tools: 3,
        prompts: 1,
        resources: 1,
      },
      { name: "fs", state: "ready", warnings: [] },
    ]);
    expect(await read(gateway, "/admin/upstreams/gh")).toMatchObject({ name: "gh", openSessions: [{ isOwn: true }] });
    expect((await gateway.get("/admin/upstreams/nobody")).status).toBe(404);
    expect(await read(gateway, "/admin/sessions")).toMatchObject({
      sessions: [{ upstream: "gh" }, { upstream: "fs" }],
    });
    expect(await read(gateway, "/admin/pending-calls")).toEqual({ pendingCalls: [] });
    await gateway.ask("tools/list", {}, { key: ci, path: "/mcp/fs" });
    expect((await read(gateway, "/admin/exchanges?upstream=fs")).exchanges).toMatchObject([{ method: "tools/list" }]);
    const { exchanges } = await read(gateway, "/admin/exchanges?method=tools/call&limit=1");
    expect(exchanges).toMatchObject([{ name: "gh__read", upstream: "gh", caller: "key ci", outcome: "complete" }]);
    expect(JSON.stringify([exchanges, gateway.log])).not.toContain("private");
  });

  it("may call a server what they like, also by a name that means something elsewhere", async () => {
    const url = upstreams.urls.gh;
    const names = ["constructor", "__proto__", "toString", "hasOwnProperty", "then"];
    const document = JSON.parse(
      `{ "mcpServers": { ${names.map((name) => `"${name}": { "url": "${url}" }`).join()} } }`,
    );
    await using gateway = await operate(document);
    const served = names.map((name) => name.replace(/^_+/, ""));
    for (const name of served) {
      const { body } = await gateway.ask("tools/call", { name: `${name}__read` });
      expect(body.result.content).toEqual([{ type: "text", text: "gh read" }]);
      expect(toolsOf(await gateway.ask("tools/list", {}, { path: `/mcp/${name}` }))).toContain("read");
      expect(await (await gateway.get(`/admin/upstreams/${name}`)).json()).toMatchObject({ name, state: "ready" });
      expect(await (await gateway.get("/metrics")).text()).toContain(`lethe_upstream_up{upstream="${name}"} 1\n`);
    }
    expect((await gateway.get("/admin/upstreams/valueOf")).status).toBe(404);
    expect((await gateway.get("/mcp/valueOf")).status).toBe(404);
  });

  it("are told whose tools cannot be offered", async () => {
    await using gateway = await operate(documentOf({ upstreams: { gh: { prefix: "" }, fs: { prefix: "" } } }));
    expect(gateway.log).toContainEqual(
      expect.objectContaining({ event: "catalog.problem", upstream: "fs", message: expect.stringContaining("of fs") }),
    );
  });

  it("see the tasks that the gateway has made", async () => {
    const own = await startUpstreams("a");
    await using gateway = await operate({
      mcpServers: { a: { url: own.urls.a } },
      gateway: { tasks: { afterMs: 0 }, upstreams: { a: { tasks: "auto" } } },
    });
    const capabilities = { extensions: { [tasksExtension]: {} } };
    const { body } = await gateway.ask("tools/call", { name: "a__hold", arguments: {} }, { capabilities });
    expect(body.result.resultType).toBe("task");
    const { tasks } = await read(gateway, "/admin/tasks");
    expect(tasks).toMatchObject([{ upstream: "a", tool: "hold", id: expect.any(String), status: "working" }]);
    expect(JSON.stringify(tasks)).not.toContain(body.result.taskId);
    expect(await read(gateway, "/admin/upstreams/a")).toMatchObject({ tasks: 1, liveTasks: tasks });
    expect(await (await gateway.get("/metrics")).text()).toContain('lethe_tasks{upstream="a"} 1');
    await own[Symbol.asyncDispose]();
  });

  it("never see a secret of the configuration", async () => {
    await using gateway = await operate(documentOf({ auth: { keys }, admin: { key: "key-of-admin-0123456789" } }));
    const text = JSON.stringify(await read(gateway, "/admin/config", "key-of-admin-0123456789"));
    for (const secret of [ci, ops, "own-gh", "key-of-admin"]) expect(text).not.toContain(secret);
    expect(text).toContain("/mcp");
  });

  it("see bodies when they are kept, with secrets masked", async () => {
    await using gateway = await operate(documentOf({ admin: { bodies: true } }));
    await gateway.ask("tools/call", { name: "gh__read", arguments: { password: "hidden", note: "shown own-gh" } });
    const { exchanges } = await read(gateway, "/admin/exchanges?method=tools/call");
    expect(exchanges[0].params.arguments).toEqual({ password: "***", note: "shown ***" });
    expect(exchanges[0].result.content).toEqual([{ type: "text", text: "gh read" }]);
  });

  it("need the key from everywhere once there is one", async () => {
    await using gateway = await operate(documentOf({ admin: { key: "key-of-admin-0123456789" } }));
    for (const path of ["/admin", "/admin/upstreams", "/admin/upstreams/gh", "/metrics"]) {
      expect((await gateway.get(path)).status).toBe(401);
      expect((await gateway.get(path, { authorization: "Bearer key-of-admin-0123456789" })).status).toBe(200);
    }
    const refusals = gateway.log.filter(({ event }) => event === "request.refused");
    expect(refusals).toHaveLength(4);
    expect(refusals[0]).toMatchObject({
      reason: expect.stringMatching("^administration: "),
      remoteAddress: "127.0.0.1",
    });
  });

  it("are not let in through a proxy, or from web pages of others", async () => {
    await using gateway = await operate(documentOf());
    expect((await gateway.get("/admin", { "x-forwarded-for": "203.0.113.7" })).status).toBe(403);
    expect((await gateway.get("/admin", { origin: "http://localhost:5173" })).status).toBe(403);
    expect((await gateway.get("/admin", { origin: new URL(gateway.served.url).origin })).status).toBe(200);
  });

  it("are found by any name with the key, and by this machine's own whatever callers have to say", async () => {
    const key = "key-of-admin-0123456789";
    await using gateway = await operate(documentOf({ allowedHosts: ["mcp.example"], admin: { key } }));
    const statusAs = async (host: string, path: string, headers = {}) => {
      const asked = request(new URL(path, gateway.served.url), { headers: { host, ...headers } }).end();
      const [answer] = (await once(asked, "response")) as [IncomingMessage];
      answer.resume();
      return answer.statusCode;
    };
    expect(await statusAs("10.0.0.7:3000", "/metrics", { authorization: `Bearer ${key}` })).toBe(200);
    expect(await statusAs("10.0.0.7:3000", "/metrics")).toBe(401);
    expect(await statusAs("10.0.0.7:3000", "/mcp")).toBe(403);
    expect(gateway.log).toContainEqual(
      expect.objectContaining({
        ...{ event: "request.refused", reason: 'host not allowed: "10.0.0.7:3000"', remoteAddress: "127.0.0.1" },
      }),
    );
    expect(await statusAs("mcp.example", "/mcp")).not.toBe(403);
    expect((await gateway.ask("tools/list")).status).toBe(200);
  });

  it("may have a port of their own, with nothing of it beside the endpoints", async () => {
    await using gateway = await operate(documentOf({ admin: { port: 0 } }));
    const at = (path: string) => fetch(new URL(path, gateway.served.adminUrl));
    expect((await gateway.get("/admin")).status).toBe(404);
    expect((await gateway.get("/metrics")).status).toBe(404);
    expect((await gateway.get("/healthz")).status).toBe(200);
    for (const path of ["/admin", "/metrics", "/healthz", "/readyz"]) expect((await at(path)).status).toBe(200);
    expect((await at("/mcp")).status).toBe(404);
  });

  it("may leave metrics to everybody", async () => {
    await using gateway = await operate(documentOf({ admin: { key: "key-of-admin-0123456789", publicMetrics: true } }));
    await gateway.ask("tools/call", { name: "gh__read" });
    const text = await (await gateway.get("/metrics")).text();
    expect(text).toContain('lethe_requests_total{method="tools/call",upstream="gh",outcome="complete"} 1');
    expect(text).toContain('lethe_upstream_up{upstream="fs"} 1');
  });

  it("find nothing of it in a cache", async () => {
    await using gateway = await operate(documentOf());
    expect((await gateway.get("/admin/sessions")).headers.get("cache-control")).toBe("no-store");
  });

  it("use the right verbs", async () => {
    await using gateway = await operate(documentOf());
    const send = (path: string, method: string) => fetch(new URL(path, gateway.served.url), { method });
    expect((await send("/admin", "POST")).status).toBe(405);
    expect((await send("/admin/reload", "GET")).status).toBe(405);
    expect((await send("/admin", "HEAD")).status).toBe(200);
    expect((await send("/healthz", "POST")).status).toBe(405);
    expect((await send("/metrics", "POST")).status).toBe(405);
    await using open = await operate(documentOf({ admin: { publicMetrics: true } }));
    const posted = await fetch(new URL("/metrics", open.served.url), { method: "POST" });
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET"]);
  });
});

describe("secrets and sealed tokens", () => {
  const secret = "own-of-upstream-0123456789";
  let serving: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => {
    const server = createServer({ name: "leaky", version: "1.0.0" });
    for (const tool of ["fails", "reports", "returns", "asks"]) server.tool(tool, { handler: () => "" });
    const content = [{ type: "text", text: `got ${secret}` }];
    const question = {
      method: "elicitation/create",
      params: { message: "?", requestedSchema: { type: "object", properties: {} } },
    };
    const answers: Record<string, () => Result> = {
      fails() {
        throw new McpError(-32000, `rejected ${secret}`, { data: { sent: `Bearer ${secret}` } });
      },
      reports: () => ({ resultType: "complete", content, isError: true }),
      returns: () => ({ resultType: "complete", content }),
      asks: () => ({ resultType: "input_required", requestState: "of the upstream", inputRequests: { q: question } }),
    };
    const dispatch: typeof server.dispatch = async (request, exchange) =>
      answers[String(request.params.name)]?.() ?? server.dispatch(request, exchange);
    serving = await serve({ ...server, dispatch }, { port: 0 });
  });
  afterAll(() => serving.close({ graceMs: 0 }));

  const start = (block: object = {}) =>
    operate({
      mcpServers: { up: { url: serving.url, headers: { authorization: `Bearer ${secret}` } } },
      gateway: block,
    });

  it("of the configuration are masked in errors of an upstream, and not in its ordinary results", async () => {
    await using gateway = await start();
    const call = async (name: string) => (await gateway.ask("tools/call", { name })).body;
    expect((await call("up__fails")).error).toEqual({
      code: -32000,
      message: "rejected ***",
      data: { sent: "Bearer ***" },
    });
    expect((await call("up__reports")).result).toMatchObject({ isError: true, content: [{ text: "got ***" }] });
    expect((await call("up__returns")).result).toMatchObject({ content: [{ text: `got ${secret}` }] });
  });

  it("that a new configuration brings are masked from then on", async () => {
    await using gateway = await start();
    gateway.write({
      mcpServers: { up: { url: serving.url, headers: { authorization: `Bearer ${secret}`, "x-more": "rejected" } } },
    });
    expect(await gateway.served.reload()).toMatchObject({ isApplied: true });
    await gateway.served.gateway.settled;
    await vi.waitFor(async () => {
      const { error } = (await gateway.ask("tools/call", { name: "up__fails" })).body;
      expect(error.message).toBe("*** ***");
    });
  });

  it("are not in the exchanges that operators see, even with bodies", async () => {
    await using gateway = await start({ admin: { bodies: true } });
    const options = { capabilities: { elicitation: { form: {} } } };
    const { requestState } = (await gateway.ask("tools/call", { name: "up__asks" }, options)).body.result;
    expect(requestState).toEqual(expect.any(String));
    const inputResponses = { q: { action: "accept", content: {} } };
    await gateway.ask("tools/call", { name: "up__asks", requestState, inputResponses }, options);
    const shown = await (await gateway.get("/admin/exchanges")).text();
    expect(JSON.parse(shown).exchanges).toMatchObject([
      { params: { requestState: "***" } },
      { result: { resultType: "input_required", requestState: "***" } },
    ]);
    expect(shown).not.toContain(requestState);
  });
});

describe("the server card", () => {
  it("says where the endpoint is and names no upstream", async () => {
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

  it("of a gateway without a public URL is for nobody but who asks", async () => {
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

describe("a changed configuration", () => {
  it("adds, removes and changes servers while a call to another goes on", async () => {
    const own = await startUpstreams("a", "b", "c");
    const at = (name: string) => ({ url: own.urls[name] });
    await using gateway = await operate({ mcpServers: { a: at("a"), b: at("b") } });
    const running = gateway.ask("tools/call", { name: "a__hold" });
    await expect.poll(() => own.holding).toBe(1);
    const kept = gateway.served.gateway.upstreams[0];
    gateway.write({ mcpServers: { a: at("a"), c: at("c") }, gateway: { upstreams: { c: { prefix: "see" } } } });
    expect(await gateway.served.reload()).toEqual({ isApplied: true, problems: [] });
    await expect.poll(async () => toolsOf(await gateway.ask("tools/list"))).toContain("see__read");
    expect(toolsOf(await gateway.ask("tools/list"))).not.toContain("b__read");
    expect((await gateway.ask("tools/list", {}, { path: "/mcp/c" })).status).toBe(200);
    expect((await gateway.get("/mcp/b")).status).toBe(404);
    expect(gateway.served.gateway.upstreams[0]).toBe(kept);
    expect(gateway.log.find(({ event }) => event === "config.applied")?.message).toBe(
      "the configuration is applied: added c; removed b",
    );
    own.letGo();
    expect((await running).body.result.content).toEqual([{ type: "text", text: "a held" }]);
    await own[Symbol.asyncDispose]();
  });

  it("shows the sessions that finish what began before it, as such, until they have", async () => {
    const own = await startUpstreams("a", "b");
    const [a, b] = ["a", "b"].map((name) => ({ url: own.urls[name] }));
    await using gateway = await operate({ mcpServers: { a, b } });
    const running = ["a", "b"].map((name) => gateway.ask("tools/call", { name: `${name}__hold` }));
    await expect.poll(() => own.holding).toBe(2);
    gateway.write({ mcpServers: { a: { ...a, headers: { "x-new": "yes" } } } });
    await gateway.served.reload();
    const [changed] = gateway.served.gateway.upstreams;
    await changed?.start();
    const { sessions, upstreams: listed } = gateway.served.view();
    expect(sessions).toMatchObject([
      { upstream: "a", isEnding: false },
      { upstream: "a", isEnding: true, users: 1 },
      { upstream: "b", isEnding: true, users: 1 },
    ]);
    expect(listed).toMatchObject([{ name: "a", sessions: 2 }]);
    own.letGo();
    await Promise.all(running);
    await expect.poll(() => gateway.served.view().sessions).toMatchObject([{ upstream: "a", isEnding: false }]);
    await own[Symbol.asyncDispose]();
  });

  it("lets what runs at a server that goes finish", async () => {
    const own = await startUpstreams("a", "b");
    const at = (name: string) => ({ url: own.urls[name] });
    await using gateway = await operate({ mcpServers: { a: at("a"), b: at("b") } });
    const running = gateway.ask("tools/call", { name: "a__hold" });
    await expect.poll(() => own.holding).toBe(1);
    gateway.write({ mcpServers: { b: at("b") } });
    await gateway.served.reload();
    expect((await gateway.ask("tools/call", { name: "a__read" })).body.error.message).toBe("unknown tool: a__read");
    own.letGo();
    expect((await running).body.result.content).toEqual([{ type: "text", text: "a held" }]);
    await own[Symbol.asyncDispose]();
  });

  it("lets a call and a task of a server that changes finish, however little grace there is", async () => {
    const own = await startUpstreams("a");
    const documentWith = (header: string) => ({
      mcpServers: { a: { url: own.urls.a, headers: { "x-new": header } } },
      gateway: { shutdown: { graceMs: 0 }, tasks: { afterMs: 0 }, upstreams: { a: { tasks: "auto" } } },
    });
    await using gateway = await operate(documentWith("no"));
    const capabilities = { extensions: { [tasksExtension]: {} } };
    const running = gateway.ask("tools/call", { name: "a__hold" });
    const { taskId } = (await gateway.ask("tools/call", { name: "a__hold" }, { capabilities })).body.result;
    await expect.poll(() => own.holding).toBe(2);
    gateway.write(documentWith("yes"));
    await gateway.served.reload();
    await gateway.served.gateway.upstreams[0]?.start();
    expect(gateway.served.gateway.retiring).toHaveLength(1);
    own.letGo();
    expect((await running).body.result.content).toEqual([{ type: "text", text: "a held" }]);
    const taskOf = async () => (await gateway.ask("tasks/get", { taskId }, { capabilities })).body.result;
    await expect.poll(taskOf).toMatchObject({ status: "completed", result: { content: [{ text: "a held" }] } });
    await expect.poll(() => gateway.served.gateway.retiring).toEqual([]);
    await own[Symbol.asyncDispose]();
  });

  it("changes keys and rules at once", async () => {
    await using gateway = await operate(documentOf());
    expect((await gateway.ask("tools/list")).status).toBe(200);
    gateway.write(documentOf({ auth: { keys }, policy: [{ effect: "allow", tools: ["read"] }] }));
    await gateway.served.reload();
    expect((await gateway.ask("tools/list")).status).toBe(401);
    expect(toolsOf(await gateway.ask("tools/list", {}, { key: ci }))).toEqual(["gh__read", "fs__read"]);
  });

  it("still hides the secrets that it had before", async () => {
    const script = `
      const say = (words) => console.error(words + " " + process.env.API_TOKEN);
      say("my token is");
      process.stdin.on("end", () => say("my token was"));
      require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
        const { id, method } = JSON.parse(line);
        const result = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "says", version: "1" } };
        const answer = method === "initialize" ? { result } : { error: { code: -32601, message: "method not found" } };
        if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
      });
    `;
    const withToken = (API_TOKEN: string) => ({
      mcpServers: { says: { command: process.execPath, args: ["-e", script], env: { API_TOKEN } } },
      gateway: { probe: false },
    });
    await using gateway = await operate(withToken("token-of-yesterday"));
    const stderr = async () => (await (await gateway.get("/admin/upstreams/says")).json()).stderr;
    await expect.poll(stderr).toContain("my token is ***");
    gateway.write(withToken("token-of-today"));
    await gateway.served.reload();
    // What the process of before writes at its end.
    await expect.poll(stderr).toContain("my token was ***");
    expect(JSON.stringify([await stderr(), gateway.log])).not.toContain("yesterday");
  });

  it("that is wrong is told, and changes nothing", async () => {
    await using gateway = await operate(documentOf());
    gateway.write({ mcpServers: { gh: {} }, gateway: { prot: 1 } });
    const outcome = await (await fetch(new URL("/admin/reload", gateway.served.url), { method: "POST" })).json();
    expect(outcome).toEqual({
      isApplied: false,
      problems: [expect.stringContaining("gh"), expect.stringContaining("prot")],
    });
    expect(gateway.log.filter(({ event }) => event === "config.refused")).toHaveLength(3);
    expect(toolsOf(await gateway.ask("tools/list"))).toHaveLength(6);
    expect(await (await gateway.get("/metrics")).text()).toContain('lethe_config_reloads_total{outcome="refused"} 1');
  });

  it("that cannot be applied is told as well, and the next one is read all the same", async () => {
    const right = toConfig([parseSourceFile("lethe.json", JSON.stringify(documentOf()))], { environment: {} });
    const [upstream] = right.config.upstreams as [UpstreamConfig];
    const wrong = { ...right, config: { upstreams: [{ ...upstream, url: "no url" } as UpstreamConfig] } };
    let next = right;
    const served = await serveGateway({ load: async () => next, settings: { port: 0 }, watches: false });
    next = wrong;
    expect(await served.reload()).toEqual({ isApplied: false, problems: [expect.stringContaining("Invalid URL")] });
    next = right;
    expect(await served.reload()).toMatchObject({ isApplied: true });
    await served.close();
  });

  it("says how fast a server that fails is tried again", async () => {
    const document = {
      mcpServers: { off: { url: "http://127.0.0.1:1/mcp" }, gh: { url: upstreams.urls.gh } },
      gateway: { restart: { firstMs: 90_000, maxMs: 60_000 } },
    };
    await using gateway = await operate(document);
    const failed = gateway.log.find(({ event }) => event === "upstream.failed");
    expect(failed?.restartInMs).toBeGreaterThanOrEqual(30_000);
    expect(failed?.restartInMs).toBeLessThanOrEqual(60_000);
  });

  it("says what only a restart applies", async () => {
    await using gateway = await operate(documentOf());
    gateway.write(documentOf({ host: "localhost", limits: { maxStreams: 5 }, probe: false }));
    await gateway.served.reload();
    expect(gateway.log.find(({ event }) => event === "config.restart")?.message).toBe(
      "only a restart applies the change of host, limits, probe",
    );
  });

  it("is reminded of that as long as it is so, and not when a change is taken back", async () => {
    await using gateway = await operate(documentOf());
    const reminders = async (settings: object) => {
      gateway.write(documentOf(settings));
      const from = gateway.log.length;
      await gateway.served.reload();
      const found = gateway.log.slice(from).filter(({ event }) => event === "config.restart");
      return found.map(({ message }) => message);
    };
    const reminder = "only a restart applies the change of host";
    expect(await reminders({ host: "localhost" })).toEqual([reminder]);
    expect(await reminders({ host: "localhost", card: { title: "x" } })).toEqual([reminder]);
    expect(await reminders({})).toEqual([]);
  });
});

describe("a slash at the end of an address", () => {
  it("makes no difference, to clients of every era and to operators", async () => {
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
    expect((await gateway.get("/admin/")).status).toBe(200);
    expect((await gateway.get("/admin/upstreams/")).status).toBe(200);
    for (const path of ["/", "/mcp//"]) expect((await gateway.get(path)).status).toBe(404);
  });
});

describe("a client of an older revision", () => {
  it("may have as many requests running as one of today", async () => {
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
    const before = upstreams.holding;
    const calls = Array.from({ length: 150 }, (_, index) =>
      send({ id: index + 1, method: "tools/call", params: { name: "fs__hold", arguments: {} } }, session),
    );
    await vi.waitUntil(() => upstreams.holding === before + 150, { timeout: 10_000 });
    upstreams.letGo();
    expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([200]));
  });
});

describe("replicas with the keys that their program gives them", () => {
  it("go on with each other's sessions of older clients", async () => {
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

describe("watched files", () => {
  it("are those that the configuration of the moment is read from", async () => {
    const folder = mkdtempSync(join(tmpdir(), "lethe-served-"));
    const file = join(folder, "lethe.json");
    const write = (gateway: object, env = {}) =>
      writeFileSync(
        file,
        JSON.stringify({
          mcpServers: { gh: { url: upstreams.urls.gh }, off: { command: "true", disabled: true, ...env } },
          gateway,
        }),
      );
    write({});
    const messages: string[] = [];
    const served = await serveGateway({
      load: () => readConfig([file], { environment: {} }),
      settings: { port: 0 },
      log: ({ event, message = "" }) => messages.push(`${event} ${message}`),
    });
    const applied = () => messages.filter((message) => message.startsWith("config.applied")).length;
    write({ upstreams: { gh: { prefix: "a" } } });
    await expect.poll(applied).toBe(1);
    writeFileSync(join(folder, ".env"), "A=1");
    const withEnv = { off: { command: process.execPath, args: ["-e", ""], envFile: ".env" } };
    writeFileSync(file, JSON.stringify({ mcpServers: { gh: { url: upstreams.urls.gh }, ...withEnv } }));
    await expect.poll(applied).toBe(2);
    writeFileSync(join(folder, ".env"), "A=2");
    await expect.poll(applied).toBe(3);
    expect(messages.at(-1) ?? "").not.toBe("");
    expect(messages).toContain("config.applied the configuration is applied: changed off");
    await served.close();
    rmSync(folder, { recursive: true });
  });
});

describe("the end", () => {
  it("is told to load balancers, and what runs is let finish", async () => {
    const own = await startUpstreams("a");
    const gateway = await operate({
      mcpServers: { a: { url: own.urls.a } },
      gateway: { shutdown: { delayMs: 500, graceMs: 5_000 } },
    });
    const running = gateway.ask("tools/call", { name: "a__hold" });
    await expect.poll(() => own.holding).toBe(1);
    const closed = gateway.served.close();
    const readiness = await gateway.get("/readyz");
    expect([readiness.status, await readiness.text()]).toEqual([503, "draining\n"]);
    expect((await gateway.get("/healthz")).status).toBe(200);
    own.letGo();
    expect((await running).body.result.content).toEqual([{ type: "text", text: "a held" }]);
    await closed;
    await own[Symbol.asyncDispose]();
  });

  it("does not wait for a configuration that is being read, and nothing of that is started", async () => {
    let go = (): void => {};
    let reading: Promise<void> = Promise.resolve();
    let names = ["gh"];
    const load = async () => {
      await reading;
      return toConfig([parseSourceFile("lethe.json", JSON.stringify(documentOf({}, names)))], { environment: {} });
    };
    const served = await serveGateway({ load, settings: { port: 0 }, watches: false });
    reading = new Promise((resolve) => {
      go = resolve;
    });
    names = ["gh", "fs"];
    const reloaded = served.reload();
    await served.close();
    go();
    expect(await reloaded).toEqual({ isApplied: false, problems: ["the gateway is being stopped"] });
    expect(served.gateway.upstreams.map(({ name }) => name)).toEqual(["gh"]);
  });

  it("a server that hangs keeps nobody from the others for long, unless it is required", async () => {
    const hanging = createHttpServer(() => {}).listen(0, "127.0.0.1");
    await once(hanging, "listening");
    const url = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}/mcp`;
    const document = (required: boolean) => ({
      mcpServers: { gh: { url: upstreams.urls.gh }, hanging: { url } },
      gateway: { upstreams: { hanging: { required } } },
    });
    const readinessOf = async (required: boolean) => {
      const load = async () =>
        toConfig([parseSourceFile("lethe.json", JSON.stringify(document(required)))], { environment: {} });
      const served = await serveGateway({
        load,
        settings: { port: 0 },
        watches: false,
        gateway: { startupWaitMs: 50 },
      });
      const read = async () => (await fetch(new URL("/readyz", served.url))).text();
      await vi.waitFor(async () => expect(await read()).not.toBe("starting\n"));
      await vi.waitUntil(() => served.view().upstreams[0]?.state === "ready");
      const readiness = await read();
      await served.close();
      return readiness;
    };
    expect([await readinessOf(false), await readinessOf(true)]).toEqual(["ready\n", "waiting for upstreams\n"]);
    hanging.close();
    hanging.closeAllConnections();
  });

  it("a gateway without a server that answers is not ready", async () => {
    const own = await startUpstreams("a");
    const document = {
      mcpServers: { a: { url: own.urls.a }, gone: { url: "http://127.0.0.1:1/mcp" } },
      gateway: {},
    };
    await using gateway = await operate(document);
    gateway.write({ ...document, gateway: { upstreams: { gone: { required: true } } } });
    await gateway.served.reload();
    const readiness = await gateway.get("/readyz");
    expect([readiness.status, await readiness.text()]).toEqual([503, "waiting for upstreams\n"]);
    expect(await (await gateway.get("/admin/upstreams/gone")).json()).toMatchObject({
      state: "failed",
      reason: expect.stringContaining("127.0.0.1:1"),
    });
    await own[Symbol.asyncDispose]();
  });
});
