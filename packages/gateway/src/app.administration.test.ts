// Administration, health and metrics of a served gateway.
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect } from "@lethe/client/node";
import { clientInfoOf, tasksExtension } from "@lethe/protocol";
import { createServer } from "@lethe/server";
import { serve } from "@lethe/server/node";
import { describe, expect, it } from "vitest";
import { serveGateway } from "./app.ts";
import { parseSourceFile } from "./config/source-file.ts";
import { toConfig } from "./config/to-config.ts";
import { type Operated, operate, startUpstreams } from "./testing/operated.ts";
import { ci, keys, ops, toolsOf, useTwoUpstreams } from "./testing/two-upstreams.ts";

const fixture = useTwoUpstreams();
const { documentOf } = fixture;

describe("administration", () => {
  const read = async (gateway: Operated, path: string, key?: string) =>
    (await gateway.get(path, key === undefined ? {} : { authorization: `Bearer ${key}` })).json();

  it("shows the verdict on each upstream with its evidence and without secrets", async () => {
    await using gateway = await operate(documentOf());
    const [gh] = (await read(gateway, "/admin/v1/upstreams")).upstreams;
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
    expect(gh).toEqual({ ...gateway.served.view().upstreams[0], recent: gh.recent });
    expect(gateway.log.filter(({ event }) => event === "upstream.verdict")).toMatchObject([
      { level: "info", upstream: "gh", word: "STATELESS", sharing: "shared", source: "probe" },
      { level: "info", upstream: "fs" },
    ]);
  });

  it("shows each limit with its use, except that of a single shared session, which is always in use", async () => {
    await using gateway = await operate(documentOf({ upstreams: { gh: { sessions: { maxShared: 3 } } } }));
    const { limits } = await read(gateway, "/admin/v1/health");
    const useOf = (name: string, upstream?: string) =>
      limits.find((one: { name: string; upstream?: string }) => one.name === name && one.upstream === upstream);
    expect(useOf("limits.maxConnections")).toMatchObject({ limit: 16_384, used: expect.any(Number) });
    expect(useOf("limits.maxConnections").used).toBeGreaterThan(0);
    expect(useOf("sessions.maxShared", "gh")).toMatchObject({ limit: 3, used: 1 });
    expect(useOf("sessions.maxShared", "fs")).toBeUndefined();
    expect(useOf("limits.maxTools", "gh")).toMatchObject({ limit: 5_000, used: 3 });
    for (const name of ["limits.maxHeldBytes", "pendingCalls.max", "tasks.max"]) expect(useOf(name)).toBeDefined();
    for (const name of ["limits.maxReceivingRequests", "limits.maxConcurrentRequests", "limits.maxStreams"]) {
      expect(useOf(name)).toMatchObject({ used: 0 });
    }
    const listLimits = ["limits.maxPrompts", "limits.maxResources", "limits.maxTemplates"];
    for (const name of ["sessions.max", "sessions.maxWaiting", "restart.maxFailures", ...listLimits]) {
      expect(useOf(name, "fs")).toBeDefined();
    }
    expect(useOf("pendingCalls.maxPerCaller")).toBeUndefined();
  });

  it("shows the limits of one caller with the use of the caller that has most, if callers authenticate", async () => {
    await using gateway = await operate(documentOf({ auth: { keys }, limits: { maxConcurrentPerCaller: 7 } }));
    const running = [gateway.ask("tools/call", { name: "gh__hold" }, { key: ci })];
    const useOf = async (wanted: string) => {
      const { limits } = await read(gateway, "/admin/v1/health");
      return limits.find(({ name }: { name: string }) => name === wanted);
    };
    await expect.poll(async () => (await useOf("limits.maxConcurrentPerCaller")).used).toBe(1);
    expect(await useOf("limits.maxConcurrentPerCaller")).toMatchObject({ limit: 7 });
    expect(await useOf("limits.maxConcurrentRequests")).toMatchObject({ limit: 1_000, used: 1 });
    for (const name of ["limits.maxStreamsPerCaller", "limits.maxWatchedPerCaller", "tasks.maxPerCaller"]) {
      expect(await useOf(name)).toMatchObject({ used: 0 });
    }
    expect(await useOf("pendingCalls.maxPerCaller")).toMatchObject({ limit: 100, used: 0 });
    expect(await useOf("sessions.maxPerCaller")).toMatchObject({ limit: 8 });
    fixture.upstreams.letGo();
    await Promise.all(running);
  });

  it("is ready and answers calls while servers are still being probed", async () => {
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

  it("probes no server when the configuration turns probing off", async () => {
    await using gateway = await operate(documentOf({ probe: false }));
    // The verdicts of the connections are still logged.
    await expect.poll(() => gateway.log.filter(({ event }) => event === "upstream.verdict")).toHaveLength(2);
    const [gh] = gateway.served.view().upstreams;
    expect(gh?.verdict).toMatchObject({ source: "connection", eras: { legacy: { isSpoken: null } } });
  });

  it("shows upstreams, sessions and exchanges without arguments to this machine", async () => {
    await using gateway = await operate(documentOf({ auth: { keys } }));
    await gateway.ask("tools/call", { name: "gh__read", arguments: { note: "private" } }, { key: ci });
    expect(await read(gateway, "/admin/v1")).toMatchObject({
      state: "serving",
      upstreams: { ready: 2 },
      pendingCalls: 0,
    });
    const { upstreams: listed } = await read(gateway, "/admin/v1/upstreams");
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
    expect(await read(gateway, "/admin/v1/upstreams/gh")).toMatchObject({
      name: "gh",
      openSessions: [{ isOwn: true }],
    });
    expect((await gateway.get("/admin/v1/upstreams/nobody")).status).toBe(404);
    expect(await read(gateway, "/admin/v1/sessions")).toMatchObject({
      sessions: [{ upstream: "gh" }, { upstream: "fs" }],
    });
    expect(await read(gateway, "/admin/v1/pending-calls")).toMatchObject({ pendingCalls: [], unanswered: [] });
    await gateway.ask("tools/list", {}, { key: ci, path: "/mcp/fs" });
    expect((await read(gateway, "/admin/v1/exchanges?upstream=fs")).exchanges).toMatchObject([
      { method: "tools/list" },
    ]);
    const { exchanges } = await read(gateway, "/admin/v1/exchanges?method=tools/call&limit=1");
    expect(exchanges).toMatchObject([{ name: "gh__read", upstream: "gh", caller: "key ci", outcome: "complete" }]);
    expect(JSON.stringify([exchanges, gateway.log])).not.toContain("private");
  });

  it("accepts server names that have a meaning in JavaScript", async () => {
    const url = fixture.upstreams.urls.gh;
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
      expect(await (await gateway.get(`/admin/v1/upstreams/${name}`)).json()).toMatchObject({ name, state: "ready" });
      expect(await (await gateway.get("/metrics")).text()).toContain(`lethe_upstream_up{upstream="${name}"} 1\n`);
    }
    expect((await gateway.get("/admin/v1/upstreams/valueOf")).status).toBe(404);
    expect((await gateway.get("/mcp/valueOf")).status).toBe(404);
  });

  it("names the server whose tools cannot be offered", async () => {
    await using gateway = await operate(documentOf({ upstreams: { gh: { prefix: "" }, fs: { prefix: "" } } }));
    expect(gateway.log).toContainEqual(
      expect.objectContaining({ event: "catalog.problem", upstream: "fs", message: expect.stringContaining("of fs") }),
    );
  });

  it("shows the tasks that the gateway created", async () => {
    const own = await startUpstreams("a");
    await using gateway = await operate({
      mcpServers: { a: { url: own.urls.a } },
      gateway: { tasks: { afterMs: 0 }, upstreams: { a: { tasks: "auto" } } },
    });
    const capabilities = { extensions: { [tasksExtension]: {} } };
    const { body } = await gateway.ask("tools/call", { name: "a__hold", arguments: {} }, { capabilities });
    expect(body.result.resultType).toBe("task");
    const { tasks } = await read(gateway, "/admin/v1/tasks");
    expect(tasks).toMatchObject([{ upstream: "a", tool: "hold", id: expect.any(String), status: "working" }]);
    expect(JSON.stringify(tasks)).not.toContain(body.result.taskId);
    expect(await read(gateway, "/admin/v1/upstreams/a")).toMatchObject({ tasks: 1 });
    expect(await (await gateway.get("/metrics")).text()).toContain('lethe_tasks{upstream="a"} 1');
    await own[Symbol.asyncDispose]();
  });

  it("never shows a secret of the configuration", async () => {
    await using gateway = await operate(documentOf({ auth: { keys }, admin: { key: "key-of-admin-0123456789" } }));
    const text = JSON.stringify(await read(gateway, "/admin/v1/config", "key-of-admin-0123456789"));
    for (const secret of [ci, ops, "own-gh", "key-of-admin"]) expect(text).not.toContain(secret);
    expect(text).toContain("/mcp");
  });

  it("shows kept bodies with secrets masked", async () => {
    await using gateway = await operate(documentOf({ admin: { bodies: true } }));
    await gateway.ask("tools/call", { name: "gh__read", arguments: { password: "hidden", note: "shown own-gh" } });
    const { exchanges } = await read(gateway, "/admin/v1/exchanges?method=tools/call");
    const { params, result } = await read(gateway, `/admin/v1/exchanges/${exchanges[0].id}`);
    expect(params.arguments).toEqual({ password: "***", note: "shown ***" });
    expect(result.content).toEqual([{ type: "text", text: "gh read" }]);
    expect((await gateway.get(`/admin/v1/exchanges/${exchanges[0].replica}-99`)).status).toBe(404);
    expect((await gateway.get("/admin/v1/exchanges?limit=many")).status).toBe(400);
  });

  it("requires the administration key from every address once one is set", async () => {
    await using gateway = await operate(documentOf({ admin: { key: "key-of-admin-0123456789" } }));
    for (const path of ["/admin/v1", "/admin/v1/upstreams", "/admin/v1/upstreams/gh", "/metrics"]) {
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

  it("refuses requests through a proxy and from web pages of other origins", async () => {
    await using gateway = await operate(documentOf());
    expect((await gateway.get("/admin/v1", { "x-forwarded-for": "203.0.113.7" })).status).toBe(403);
    expect((await gateway.get("/admin/v1", { origin: "http://localhost:5173" })).status).toBe(403);
    expect((await gateway.get("/admin/v1", { origin: new URL(gateway.served.url).origin })).status).toBe(200);
  });

  it("checks the Host header of endpoint requests, and accepts any host for administration with the key", async () => {
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

  it("serves administration on its own port only, when one is configured", async () => {
    await using gateway = await operate(documentOf({ admin: { port: 0 } }));
    const at = (path: string) => fetch(new URL(path, gateway.served.adminUrl));
    expect((await gateway.get("/admin/v1")).status).toBe(404);
    expect((await gateway.get("/metrics")).status).toBe(404);
    expect((await gateway.get("/healthz")).status).toBe(200);
    for (const path of ["/admin/v1", "/metrics", "/healthz", "/readyz"]) expect((await at(path)).status).toBe(200);
    expect((await at("/mcp")).status).toBe(404);
  });

  it("serves public metrics without a key when configured", async () => {
    await using gateway = await operate(documentOf({ admin: { key: "key-of-admin-0123456789", publicMetrics: true } }));
    await gateway.ask("tools/call", { name: "gh__read" });
    const text = await (await gateway.get("/metrics")).text();
    expect(text).toContain('lethe_requests_total{method="tools/call",upstream="gh",outcome="complete"} 1');
    expect(text).toContain('lethe_upstream_up{upstream="fs"} 1');
  });

  it("forbids caching of administration responses", async () => {
    await using gateway = await operate(documentOf());
    expect((await gateway.get("/admin/v1/sessions")).headers.get("cache-control")).toBe("no-store");
  });

  it("answers 405 to other HTTP methods", async () => {
    await using gateway = await operate(documentOf());
    const send = (path: string, method: string) => fetch(new URL(path, gateway.served.url), { method });
    expect((await send("/admin/v1", "POST")).status).toBe(405);
    expect((await send("/admin/v1/config/reload", "GET")).status).toBe(405);
    expect((await send("/admin/v1", "HEAD")).status).toBe(200);
    expect((await send("/healthz", "POST")).status).toBe(405);
    expect((await send("/metrics", "POST")).status).toBe(405);
    await using open = await operate(documentOf({ admin: { publicMetrics: true } }));
    const posted = await fetch(new URL("/metrics", open.served.url), { method: "POST" });
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET"]);
  });
});
