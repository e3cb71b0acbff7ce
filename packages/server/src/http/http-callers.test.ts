// The checks of caller, host and origin on both platforms: authorization (G.1), CORS (J-46), host and origin (B-2, B-3).
import type { Caller, Result } from "@lethe/protocol";
import { expect, it, vi } from "vitest";
import { createAuthenticator } from "../auth/authenticator.ts";
import { createKeyAuthenticator } from "../auth/key-authenticator.ts";
import { insufficientScope } from "../auth/scopes.ts";
import { createServer } from "../create-server.ts";
import { describeMatrix } from "../testing/http-platforms.ts";
import { callOf, progress } from "../testing/messages.ts";
import type { HttpOptions } from "./http-options.ts";
import type { Servable } from "./servable.ts";

const complete: Result = { resultType: "complete", content: [] };
const served: Servable = { dispatch: async () => complete };
const key = "0123456789abcdef";
const wellKnown = "/.well-known/oauth-protected-resource";

const authenticator = createAuthenticator({
  resource: "https://s.example/mcp",
  authorizationServers: ["https://login.example"],
  scopesSupported: ["read"],
  verify: async (token) => (token === key ? { id: "alice", scopes: ["read"] } : undefined),
});

describeMatrix("authorization", (platform) => {
  it("passes the caller to the server (G-5)", async () => {
    let caller: Caller | undefined;
    await using client = await platform.open({
      authenticator,
      async dispatch(_request, exchange) {
        caller = exchange.caller;
        return complete;
      },
    });
    const answer = await client.send({ body: callOf(), headers: { authorization: `Bearer ${key}` } });
    expect(answer.status).toBe(200);
    expect(caller).toEqual({ id: "alice", scopes: ["read"] });
  });

  it("a missing token answers 401 with a challenge before verb and body are checked (G-3, G-9, B-35)", async () => {
    const dispatch = vi.fn(served.dispatch);
    await using client = await platform.open({ authenticator, dispatch });
    for (const sent of [{ body: callOf() }, { body: "{" }, { verb: "GET" }]) {
      const answer = await client.send(sent);
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toBe(
        'Bearer scope="read", resource_metadata="https://s.example/.well-known/oauth-protected-resource/mcp"',
      );
      expect(await answer.json()).toMatchObject({ jsonrpc: "2.0", error: { code: -32600 } });
    }
    expect(dispatch).not.toHaveBeenCalled();
  });

  it("a malformed header answers 400 (G-4)", async () => {
    await using client = await platform.open({ ...served, authenticator });
    expect((await client.send({ body: callOf(), headers: { authorization: "Bearer a b" } })).status).toBe(400);
  });

  it("a server without an authenticator answers 403 to a request that needs a scope (G-4)", async () => {
    const server = createServer({ name: "s", version: "1" }).tool("t", { scopes: ["write"], handler: () => "done" });
    await using client = await platform.open(server);
    const answer = await client.send({ body: callOf("t") });
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ error: { code: 403, data: { requiredScopes: ["write"] } } });
  });

  it("a missing scope answers 403 with a challenge and the id (G-4)", async () => {
    const dispatch = (): Promise<Result> => Promise.reject(insufficientScope(["write", "admin"]));
    await using client = await platform.open({ authenticator, dispatch });
    const answer = await client.send({ body: callOf(), headers: { authorization: `Bearer ${key}` } });
    expect(answer.status).toBe(403);
    expect(answer.headers.get("www-authenticate")).toContain('error="insufficient_scope", scope="write admin"');
    expect(await answer.json()).toMatchObject({ id: 1, error: { code: 403 } });
  });

  it("an authenticator that throws is an internal error, and the request is not served", async () => {
    const onError = vi.fn();
    const broken = { ...authenticator, authenticate: () => Promise.reject(new Error("secret")) };
    const dispatch = vi.fn();
    await using client = await platform.open({ dispatch, authenticator: broken }, { onError });
    const answer = await client.send({ body: callOf() });
    expect(await answer.text()).not.toContain("secret");
    expect(dispatch).not.toHaveBeenCalled();
    expect(onError).toHaveBeenCalledOnce();
  });

  it("the resource metadata is public for every origin, including preflights (G-2)", async () => {
    await using client = await platform.open(
      { "/mcp": { ...served, authenticator }, "/open": served },
      { path: "/mcp" },
    );
    for (const path of [`${wellKnown}/mcp`, wellKnown]) {
      const answer = await client.send({ verb: "GET", path, headers: { origin: "https://page.example" } });
      expect([path, answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([path, 200, "*"]);
      expect(await answer.json()).toEqual(authenticator.metadata);
      const preflight = await client.send({ verb: "OPTIONS", path, headers: { origin: "https://page.example" } });
      expect([preflight.status, preflight.headers.get("access-control-allow-headers")]).toEqual([204, "*"]);
    }
    for (const path of [`${wellKnown}/open`, `${wellKnown}/none`, `${wellKnown}x`]) {
      expect((await client.send({ verb: "GET", path })).status).toBe(404);
    }
  });

  it("a server with API keys has no resource metadata", async () => {
    const byKey = createKeyAuthenticator([{ id: "a", key }]);
    await using client = await platform.open({ "/mcp": { ...served, authenticator: byKey } });
    expect((await client.send({ verb: "GET", path: `${wellKnown}/mcp` })).status).toBe(404);
  });
});

describeMatrix("a web page", (platform) => {
  async function send(origin: string, options: HttpOptions = {}, headers: Record<string, string> = {}) {
    await using client = await platform.open(served, options);
    const answer = await client.send({ body: callOf(), headers: { origin, ...headers } });
    await answer.text();
    return answer;
  }

  it.each(["http://localhost:5173", "http://127.0.0.1", "http://[::1]:9", "HTTP://LOCALHOST:1"])(
    "from %s may call a loopback server (B-2)",
    async (origin) => {
      const { status, headers } = await send(origin);
      expect(status).toBe(200);
      expect(headers.get("access-control-allow-origin")).toBe(origin);
      expect(headers.get("access-control-expose-headers")).toContain("WWW-Authenticate");
      expect(headers.get("vary")).toBe("Origin");
    },
  );

  it.each([
    "https://evil.example",
    "http://localhost.evil.example",
    "http://evil.example/localhost",
    "http://localhost@evil.example",
    "ftp://localhost",
    "file://",
    "null",
    "",
  ])("from %j may not call, and gets no CORS headers (B-2, B-3)", async (origin) => {
    const { status, headers } = await send(origin);
    expect(status).toBe(403);
    expect(headers.get("access-control-allow-origin")).toBeNull();
  });

  it("from a listed origin may call; `any` lists all", async () => {
    const allowedOrigins = ["https://App.example"];
    expect((await send("https://app.example", { allowedOrigins })).status).toBe(200);
    expect((await send("http://app.example", { allowedOrigins })).status).toBe(403);
    expect((await send("null", { allowedOrigins: "any" })).status).toBe(200);
  });

  it("of the same host may call if the host is configured or proven by its certificate (B-2)", async () => {
    const host = "tools.example:8080";
    const own = (origin: string, options: HttpOptions) => send(origin, options, { host });
    expect((await own("http://tools.example:8080", { allowedHosts: ["tools.example"] })).status).toBe(200);
    expect((await own("http://tools.example", { allowedHosts: ["tools.example"] })).status).toBe(403);
    expect((await own("https://tools.example:8080", { allowedHosts: "any" })).status).toBe(200);
    expect((await own("http://tools.example:8080", { allowedHosts: "any" })).status).toBe(403);
  });

  it("gets a preflight answer that allows every header in use (J-46)", async () => {
    await using client = await platform.open(served);
    const answer = await client.send({
      verb: "OPTIONS",
      headers: {
        origin: "http://localhost:5173",
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type,mcp-param-region, x-evil",
      },
    });
    expect(answer.status).toBe(204);
    expect(answer.headers.get("access-control-allow-methods")).toBe("POST");
    const allowed = answer.headers.get("access-control-allow-headers") ?? "";
    for (const name of ["Authorization", "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "mcp-param-region"]) {
      expect(allowed).toContain(name);
    }
    expect(allowed).not.toContain("evil");
  });

  it("gets CORS headers on errors and on streams too, and none when they are off", async () => {
    const origin = "http://localhost:5173";
    await using client = await platform.open({
      async dispatch(_request, exchange) {
        exchange.notify(progress);
        return complete;
      },
    });
    for (const body of [callOf(), "{"]) {
      const { headers } = await client.send({ body, headers: { origin } });
      expect(headers.get("access-control-allow-origin")).toBe(origin);
    }
    const off = await send(origin, { cors: false });
    expect([off.status, off.headers.get("access-control-allow-origin")]).toEqual([200, null]);
  });

  it("gets the allowed verbs from an OPTIONS request that is not a preflight", async () => {
    await using client = await platform.open(served);
    const answer = await client.send({ verb: "OPTIONS" });
    expect([answer.status, answer.headers.get("allow")]).toEqual([204, "POST, OPTIONS"]);
  });
});

describeMatrix("a host", (platform) => {
  it.each([
    ["tools.example", 200],
    ["TOOLS.example:8443", 200],
    ["other.example:80", 200],
    ["other.example", 403],
    ["localhost", 403],
    ["tools.example.evil.example", 403],
    ["tools.example:x", 403],
  ])("%s answers %i when tools.example and other.example:80 are allowed (B-3)", async (host, status) => {
    await using client = await platform.open(served, { allowedHosts: ["Tools.example", "other.example:80"] });
    expect((await client.send({ body: callOf(), headers: { host } })).status).toBe(status);
  });
});

describeMatrix("headers that a server adds", (platform) => {
  it("are in the answer to each caller that was let in, beside those of CORS", async () => {
    const servable: Servable = {
      ...served,
      authenticator,
      answerHeaders: (_, caller) => ({ "X-For": caller?.id ?? "" }),
    };
    await using client = await platform.open(servable, { cors: true, allowedOrigins: ["https://app.example"] });
    const headers = { authorization: `Bearer ${key}`, origin: "https://app.example" };
    const answer = await client.send({ body: callOf(), headers });
    expect(answer.headers.get("x-for")).toBe("alice");
    expect(answer.headers.get("access-control-expose-headers")).toContain("Lethe-Affinity");
    const refused = await client.send({ body: callOf() });
    expect(refused.headers.get("x-for")).toBeNull();
  });

  it("are left out if the server fails to make them", async () => {
    const onError = vi.fn();
    const answerHeaders = () => {
      throw new Error("no header");
    };
    await using client = await platform.open({ ...served, answerHeaders }, { onError });
    expect((await client.send({ body: callOf() })).status).toBe(200);
    expect(onError).toHaveBeenCalledOnce();
  });
});
