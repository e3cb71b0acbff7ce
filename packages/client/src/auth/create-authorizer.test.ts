import { afterEach, describe, expect, test, vi } from "vitest";
import type { Client } from "../connect/client.ts";
import { connect } from "../connect/connect.ts";
import type { AuthStore } from "./auth-store.ts";
import { createMemoryAuthStore } from "./auth-store.ts";
import { type AuthorizationCodeOptions, authorizationCode } from "./authorization-code.ts";
import type { AuthorizationError } from "./authorization-error.ts";
import { clientCredentials } from "./client-credentials.ts";
import { type AuthorizerOptions, createAuthorizer } from "./create-authorizer.ts";
import { type AuthorizationServer, startAuthorizationServer } from "./testing/authorization-server.ts";
import { type ProtectedServer, type ProtectedServerOptions, startProtectedServer } from "./testing/protected-server.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const close of closers.splice(0).reverse()) await close();
});

async function startServers(
  as: Parameters<typeof startAuthorizationServer>[0] = {},
  rs: Omit<ProtectedServerOptions, "servers"> = {},
): Promise<{ as: AuthorizationServer; rs: ProtectedServer }> {
  const authorizationServer = await startAuthorizationServer(as);
  const protectedServer = await startProtectedServer({ servers: [authorizationServer], ...rs });
  closers.push(authorizationServer.close, protectedServer.close);
  return { as: authorizationServer, rs: protectedServer };
}

const redirectUrl = "http://localhost:3000/callback";

function byCode(as: AuthorizationServer, options: Partial<AuthorizationCodeOptions> = {}) {
  return authorizationCode({ redirectUrl, redirect: vi.fn((url: URL) => as.follow(url)), ...options });
}

/** A client that gets itself in; `options` are the authorizer's. */
async function enter(
  { as, rs }: { as: AuthorizationServer; rs: ProtectedServer },
  options: Partial<AuthorizerOptions> = {},
): Promise<Client> {
  const authorizer = createAuthorizer(rs.url, { grant: byCode(as), ...options });
  const client = await connect(rs.url, { authorizer });
  closers.push(() => client.close());
  return client;
}

function refusalOf(promise: Promise<unknown>): Promise<AuthorizationError> {
  return promise.then(
    () => expect.fail("was not refused"),
    (error) => error as AuthorizationError,
  );
}

describe("a user authorizes the client (G.4)", () => {
  test("one authorization with discovery, registration, PKCE, state, resource and scopes serves all later requests", async () => {
    const servers = await startServers({}, { metadata: { scopes_supported: ["a", "b"] } });
    const { as, rs } = servers;
    const client = await enter(servers);
    await client.listTools();
    await client.callTool("t");
    expect(as.registrations).toEqual([
      {
        client_name: "MCP client",
        redirect_uris: [redirectUrl],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        application_type: "native",
        token_endpoint_auth_method: "none",
      },
    ]);
    expect(as.authorizations).toHaveLength(1);
    const asked = as.authorizations[0] as URLSearchParams;
    expect(Object.fromEntries(asked)).toEqual({
      response_type: "code",
      client_id: "client-1",
      redirect_uri: redirectUrl,
      state: expect.stringMatching(/^.{40,}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
      resource: rs.url.href,
      scope: "a b",
    });
    expect(as.tokenRequests.map(({ form }) => form.get("resource"))).toEqual([rs.url.href]);
    expect(rs.requests.map(({ method }) => method)).toEqual([
      "server/discover",
      "server/discover",
      "tools/list",
      "tools/call",
    ]);
  });

  test("the resource in requests equals that of the metadata, byte for byte (G-41)", async () => {
    const servers = await startServers();
    const { as, rs } = servers;
    rs.options.metadata = { resource: rs.url.origin };
    await enter(servers);
    expect(as.authorizations[0]?.get("resource")).toBe(rs.url.origin);
    expect(as.tokenRequests[0]?.form.get("resource")).toBe(rs.url.origin);
  });

  test("scopes of the challenge take precedence over those of the metadata, and none are invented (G-44)", async () => {
    const challenged = await startServers({}, { metadata: { scopes_supported: ["a"] }, challenge: 'scope="c d"' });
    await enter(challenged);
    expect(challenged.as.authorizations[0]?.get("scope")).toBe("c d");
    const silent = await startServers();
    await enter(silent);
    expect(silent.as.authorizations[0]?.has("scope")).toBe(false);
  });

  test("offline access is requested only if the authorization server lists it (G-44)", async () => {
    const listing = await startServers(
      { metadata: { scopes_supported: ["offline_access"] } },
      { challenge: 'scope="a"' },
    );
    await enter(listing);
    expect(listing.as.authorizations[0]?.get("scope")).toBe("a offline_access");
    expect(listing.as.authorizations[0]?.get("prompt")).toBe("consent");
    const silent = await startServers({}, { challenge: 'scope="a offline_access"' });
    await enter(silent);
    expect(silent.as.authorizations[0]?.get("scope")).toBe("a");
  });

  test("a configured client takes precedence over a metadata document, and that over registration (G-30)", async () => {
    const clientMetadataUrl = "https://client.example/metadata.json";
    const client = { clientId: "given", clientSecret: "s3cret&" };
    const both = await startServers({ metadata: { client_id_metadata_document_supported: true } });
    await enter(both, { grant: byCode(both.as, { client, clientMetadataUrl }) });
    expect(both.as.authorizations[0]?.get("client_id")).toBe("given");
    expect(both.as.tokenRequests[0]?.authorization).toBe(`Basic ${btoa("given:s3cret%26")}`);
    await enter(both, { grant: byCode(both.as, { clientMetadataUrl }) });
    expect(both.as.authorizations[1]?.get("client_id")).toBe(clientMetadataUrl);
    const other = await startServers();
    await enter(other, { grant: byCode(other.as, { clientMetadataUrl }) });
    expect(other.as.authorizations[0]?.get("client_id")).toBe("client-1");
    expect(both.as.registrations).toEqual([]);
  });

  test("without a client id, the error says how to configure one (G-30)", async () => {
    const servers = await startServers({ metadata: { registration_endpoint: null } });
    const error = await refusalOf(enter(servers));
    expect(error).toMatchObject({ code: "not_registered", reason: "unauthorized", issuer: servers.as.issuer });
    expect(error.message).toMatch(/register one there by hand/);
  });

  test("an authorization server that does not announce PKCE with S256 is not used (G-40)", async () => {
    for (const methods of [null, ["plain"]]) {
      const servers = await startServers({ metadata: { code_challenge_methods_supported: methods } });
      expect(await refusalOf(enter(servers))).toMatchObject({ code: "unsupported" });
      expect(servers.as.authorizations).toEqual([]);
    }
  });

  test("a callback with a forged issuer leads to no token request (G-42)", async () => {
    const servers = await startServers({ redirectParams: { iss: "https://evil.example", error: "x" } });
    const error = await refusalOf(enter(servers));
    expect(error).toMatchObject({ code: "issuer_mismatch" });
    expect(error.message).not.toMatch(/evil/);
    expect(servers.as.tokenRequests).toEqual([]);
  });

  test("a denied authorization and a failing host both reject with an AuthorizationError", async () => {
    const servers = await startServers();
    const no = (url: URL) =>
      Promise.resolve(
        new URL(
          `${redirectUrl}?error=access_denied&state=${url.searchParams.get("state")}&iss=${encodeURIComponent(servers.as.issuer)}`,
        ),
      );
    const denied = await refusalOf(enter(servers, { grant: byCode(servers.as, { redirect: no }) }));
    expect(denied).toMatchObject({ code: "access_denied", oauthError: "access_denied" });
    const broken = () => Promise.reject(new Error("no display"));
    const failed = await refusalOf(enter(servers, { grant: byCode(servers.as, { redirect: broken }) }));
    expect(failed).toMatchObject({ code: "failed", message: expect.stringContaining("no display") });
  });

  test("authorization endpoints with javascript or plain http URLs are not shown to the user (G-50)", async () => {
    for (const endpoint of ["javascript:alert(1)", "http://as.example/authorize", "file:///etc/passwd"]) {
      const servers = await startServers({ metadata: { authorization_endpoint: endpoint } });
      const redirect = vi.fn();
      const error = await refusalOf(enter(servers, { grant: byCode(servers.as, { redirect }) }));
      expect(error).toMatchObject({ code: "insecure_url" });
      expect(redirect).not.toHaveBeenCalled();
    }
  });
});

describe("discovery (G.2)", () => {
  test("metadata at the root, for an issuer with a path, and OpenID metadata are found", async () => {
    for (const document of ["oauth", "oauth-below-path", "openid"] as const) {
      const servers = await startServers(
        { path: "/tenant1", document },
        { metadataAt: "root", challenge: 'realm="x"' },
      );
      const client = await enter(servers);
      await client.listTools();
      expect(servers.rs.metadataRequests).toEqual([
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/oauth-protected-resource",
      ]);
    }
  });

  test("metadata about another server fails the request before any authorization server is contacted (G-21)", async () => {
    const servers = await startServers({}, { metadata: { resource: "https://evil.example/mcp" } });
    expect(await refusalOf(enter(servers))).toMatchObject({ code: "resource_mismatch" });
    expect(servers.as.metadataRequests).toEqual([]);
  });

  test("metadata of another issuer is not used (G-23)", async () => {
    const servers = await startServers({ metadata: { issuer: "https://evil.example" } });
    expect(await refusalOf(enter(servers))).toMatchObject({ code: "issuer_mismatch" });
    expect(servers.as.registrations).toEqual([]);
  });

  test("the host chooses among several authorization servers, or rejects all of them (G-24)", async () => {
    const servers = await startServers();
    servers.rs.options.metadata = { authorization_servers: ["https://other.example", servers.as.issuer] };
    const selectIssuer = vi.fn((issuers: readonly string[]) => issuers[1]);
    await enter(servers, { selectIssuer });
    expect(servers.as.authorizations).toHaveLength(1);
    const refused = await refusalOf(enter(servers, { selectIssuer: () => undefined }));
    expect(refused).toMatchObject({ code: "issuer_refused" });
  });

  test("a server of 2025-03-26 is its own authorization server unless that is disabled (G-25)", async () => {
    const as = await startAuthorizationServer();
    closers.push(as.close);
    const answers = new Map([
      ["/register", { client_id: "c" }],
      ["/token", { access_token: "t", token_type: "Bearer" }],
    ]);
    const fetchHere = vi.fn(async (url: string, init: RequestInit) => {
      const { pathname } = new URL(url);
      const body = answers.get(pathname);
      return Response.json(body ?? {}, { status: body ? 200 : 404, headers: { "x-method": init.method ?? "GET" } });
    });
    const { rs } = await startServers({}, { metadataAt: false, challenge: 'realm="x"' });
    const redirect = async (url: URL) => {
      expect(url.origin + url.pathname).toBe(`${rs.url.origin}/authorize`);
      expect(url.searchParams.get("resource")).toBe(rs.url.href);
      return new URL(`${redirectUrl}?code=c&state=${url.searchParams.get("state")}`);
    };
    const options = { grant: byCode(as, { redirect }), fetch: fetchHere };
    const authorizer = createAuthorizer(rs.url, options);
    const request = { url: rs.url, method: "POST" };
    const refusal = { request, sent: {}, status: 401, headers: () => undefined, operation: "x" };
    expect(await authorizer.onUnauthorized(refusal)).toBe("retry");
    expect(await authorizer.authorize(request)).toEqual({ authorization: "Bearer t" });
    const strict = createAuthorizer(rs.url, { ...options, allowsLegacyServers: false });
    await expect(strict.onUnauthorized(refusal)).rejects.toMatchObject({ code: "invalid_answer" });
  });
});

describe("tokens (G-46, G-48)", () => {
  test("tokens outlive the process in the store, for this server and this account only", async () => {
    const servers = await startServers();
    const store = createMemoryAuthStore();
    await enter(servers, { store });
    await enter(servers, { store });
    expect(servers.as.authorizations).toHaveLength(1);
    await enter(servers, { store, account: "somebody else" });
    expect(servers.as.authorizations).toHaveLength(2);
  });

  test("many requests that are rejected at once lead to one authorization", async () => {
    const servers = await startServers();
    const client = await enter(servers);
    servers.rs.revokeAll();
    servers.as.options.answerToken = ({ form }) =>
      form.get("grant_type") === "refresh_token" ? { status: 400, body: { error: "invalid_grant" } } : undefined;
    await Promise.all(Array.from({ length: 10 }, () => client.listTools()));
    expect(servers.as.authorizations).toHaveLength(2);
    expect(servers.as.registrations).toHaveLength(1);
  });

  test("an expired token is refreshed once before it is used, and a used refresh token is never sent again", async () => {
    const servers = await startServers();
    const client = await enter(servers);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
    await Promise.all(Array.from({ length: 10 }, () => client.listTools()));
    const refreshes = servers.as.tokenRequests.filter(({ form }) => form.get("grant_type") === "refresh_token");
    expect(refreshes.map(({ form }) => form.get("resource"))).toEqual([servers.rs.url.href]);
    expect(servers.rs.requests.filter(({ headers }) => headers.authorization === undefined)).toHaveLength(1);
    expect(servers.as.replays).toEqual([]);
    expect(servers.as.authorizations).toHaveLength(1);
  });

  test("authorizers that share a store do not use one refresh token twice", async () => {
    const servers = await startServers();
    const store = createMemoryAuthStore();
    const clients = [await enter(servers, { store }), await enter(servers, { store })];
    servers.rs.revokeAll();
    await Promise.all(clients.map((client) => client.listTools()));
    const grants = servers.as.tokenRequests.map(({ form }) => form.get("grant_type"));
    expect(grants).toEqual(["authorization_code", "refresh_token"]);
    expect(servers.as.replays).toEqual([]);
    expect(servers.as.authorizations).toHaveLength(1);
  });

  test("a rejected token is refreshed first, and only if that fails is the user asked", async () => {
    const servers = await startServers();
    const client = await enter(servers);
    servers.rs.revokeAll();
    await client.listTools();
    expect(servers.as.authorizations).toHaveLength(1);
    expect(servers.as.tokenRequests.at(-1)?.form.get("grant_type")).toBe("refresh_token");
    servers.rs.revokeAll();
    servers.as.options.answerToken = ({ form }) =>
      form.get("grant_type") === "refresh_token" ? { status: 400, body: { error: "invalid_grant" } } : undefined;
    await client.listTools();
    expect(servers.as.authorizations).toHaveLength(2);
  });

  test("a token that is rejected right after it was issued fails the request", async () => {
    const servers = await startServers();
    const foreign = await startAuthorizationServer();
    closers.push(foreign.close);
    servers.rs.options.servers = [foreign];
    servers.rs.options.metadata = { authorization_servers: [servers.as.issuer] };
    const error = await refusalOf(enter(servers));
    expect(error).toMatchObject({ code: "token_rejected", status: 401 });
    expect(servers.as.authorizations).toHaveLength(1);
  });

  test("no error shows a token or a secret", async () => {
    const secret = "s3cret-that-nobody-may-see-0123456789";
    const servers = await startServers();
    servers.as.options.answerToken = () => ({
      status: 400,
      body: { error: "invalid_grant", error_description: `wrong: ${secret}` },
    });
    const client = { clientId: "given", clientSecret: secret };
    const error = await refusalOf(enter(servers, { grant: byCode(servers.as, { client }) }));
    expect(error).toMatchObject({ code: "token_refused", oauthError: "invalid_grant" });
    expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain(secret);
    servers.as.options.answerToken = () => ({ status: 200, body: { access_token: secret } });
    const odd = await refusalOf(enter(servers, { grant: byCode(servers.as, { client }) }));
    expect(odd).toMatchObject({ code: "invalid_answer" });
    expect(odd.cause).toBeUndefined();
    expect(`${odd.stack} ${JSON.stringify(odd)}`).not.toContain(secret);
  });

  test("no token is sent to another origin", async () => {
    const servers = await startServers();
    const authorizer = createAuthorizer(servers.rs.url, { grant: byCode(servers.as) });
    const request = { url: new URL("https://elsewhere.example/mcp"), method: "POST" };
    expect(authorizer.authorize(request)).toEqual({});
    const headers = () => "Bearer";
    expect(await authorizer.onUnauthorized({ request, sent: {}, status: 401, headers, operation: "x" })).toBe("report");
  });

  test("a cancelled request does not cancel an authorization that others wait for", async () => {
    const servers = await startServers();
    const signals: AbortSignal[] = [];
    let goOn = () => {};
    const redirect = async (url: URL, { signal }: { signal: AbortSignal }) => {
      signals.push(signal);
      await new Promise<void>((resolve) => {
        goOn = resolve;
        signal.addEventListener("abort", () => resolve());
      });
      return servers.as.follow(url);
    };
    const authorizer = createAuthorizer(servers.rs.url, { grant: byCode(servers.as, { redirect }) });
    const giveUp = new AbortController();
    const first = refusalOf(connect(servers.rs.url, { authorizer, signal: giveUp.signal }));
    const second = connect(servers.rs.url, { authorizer });
    await vi.waitFor(() => expect(servers.rs.requests.length === 2 && signals.length === 1).toBe(true));
    giveUp.abort();
    await first;
    expect(signals[0]?.aborted).toBe(false);
    goOn();
    const client = await second;
    closers.push(() => client.close());
    const third = createAuthorizer(servers.rs.url, { grant: byCode(servers.as, { redirect }) });
    const alone = new AbortController();
    const given = refusalOf(connect(servers.rs.url, { authorizer: third, signal: alone.signal }));
    await vi.waitFor(() => expect(signals).toHaveLength(2));
    alone.abort();
    await given;
    expect(signals[1]?.aborted).toBe(true);
  });

  test("the time that a user takes does not count against the request's time limit", async () => {
    const servers = await startServers();
    const redirect = async (url: URL) => {
      const start = performance.now();
      await vi.waitFor(() => expect(performance.now() - start).toBeGreaterThan(450), { interval: 50 });
      return servers.as.follow(url);
    };
    const authorizer = createAuthorizer(servers.rs.url, { grant: byCode(servers.as, { redirect }) });
    const client = await connect(servers.rs.url, { authorizer });
    closers.push(() => client.close());
    servers.rs.revokeAll();
    servers.as.options.answerToken = ({ form }) =>
      form.get("grant_type") === "refresh_token" ? { status: 400, body: { error: "invalid_grant" } } : undefined;
    await client.listTools({ timeoutMs: 400 });
  });
});

describe("scopes of an operation (G-45)", () => {
  const scopesFor = (method: string, name: unknown) => (method === "tools/call" ? [`tool:${name}`] : []);

  test("earlier scopes are requested together with the missing ones, and the call is repeated", async () => {
    const servers = await startServers({}, { scopesFor, challenge: 'scope="basic"' });
    const { as, rs } = servers;
    rs.options.challenge = 'scope="basic"';
    const client = await enter(servers);
    rs.options.challenge = 'realm="x"';
    await client.callTool("a");
    await client.callTool("b");
    expect(as.authorizations.map((query) => query.get("scope"))).toEqual([
      "basic",
      "basic tool:a",
      "basic tool:a tool:b",
    ]);
    await client.callTool("a");
    expect(as.authorizations).toHaveLength(3);
  });

  test("granted scopes that did not help are not requested again, nor for the same operation later", async () => {
    const servers = await startServers({}, { scopesFor: (method) => (method === "tools/call" ? ["never"] : []) });
    const client = await enter(servers);
    const granting = startGranting(servers.as, "never");
    const first = await refusalOf(client.callTool("a"));
    expect(first).toMatchObject({ code: "insufficient_scope", status: 403 });
    expect(await refusalOf(client.callTool("a"))).toBe(first);
    expect(granting.count).toBe(1);
    await client.listTools();
  });

  test("one request causes at most three authorizations", async () => {
    let asked = 0;
    const servers = await startServers({}, { scopesFor: (method) => (method === "tools/call" ? [`s${asked++}`] : []) });
    const client = await enter(servers);
    const before = servers.as.authorizations.length;
    expect(await refusalOf(client.callTool("a"))).toMatchObject({ code: "insufficient_scope" });
    expect(servers.as.authorizations.length - before).toBe(3);
  });

  test("a 403 for another reason than scopes is returned to the caller", async () => {
    const servers = await startServers();
    const client = await enter(servers);
    const authorizer = createAuthorizer(servers.rs.url, { grant: byCode(servers.as) });
    const request = { url: servers.rs.url, method: "POST" };
    for (const challenge of [undefined, 'Bearer error="invalid_token"', 'Bearer error="insufficient_scope"']) {
      const refusal = { request, sent: {}, status: 403, headers: () => challenge, operation: "x" };
      expect(await authorizer.onUnauthorized(refusal)).toBe("report");
    }
    await client.close();
  });
});

/** Tokens that are said to have `scope`, and that the server will not have. */
function startGranting(as: AuthorizationServer, scope: string): { count: number } {
  const granting = { count: 0 };
  as.options.answerToken = () => {
    granting.count += 1;
    return undefined;
  };
  const original = as.tokenOf.bind(as);
  as.tokenOf = (accessToken) => {
    const token = original(accessToken);
    return token && { ...token, scopes: token.scopes.filter((name) => name !== scope) };
  };
  return granting;
}

describe("a change of the authorization server (G-33)", () => {
  async function migrate(options: (as: AuthorizationServer) => Partial<AuthorizationCodeOptions>, store?: AuthStore) {
    const servers = await startServers();
    const next = await startAuthorizationServer();
    closers.push(next.close);
    const redirect = (url: URL) => (url.href.startsWith(servers.as.issuer) ? servers.as : next).follow(url);
    const grant = byCode(servers.as, { redirect, ...options(servers.as) });
    const client = await enter(servers, store ? { grant, store } : { grant });
    servers.rs.options.servers = [next];
    return { ...servers, next, client };
  }

  test("a registered client is registered anew, and the old credentials are not sent", async () => {
    const { as, next, client } = await migrate(() => ({}));
    await client.callTool("t");
    expect(next.registrations).toHaveLength(1);
    const shown = [...next.authorizations, ...next.tokenRequests.map(({ form }) => form)].map(String).join();
    const oldTokens = as.tokenRequests.map(({ form }) => form.get("refresh_token"));
    expect(next.tokenRequests.map(({ form }) => form.get("grant_type"))).toEqual(["authorization_code"]);
    for (const token of oldTokens) if (token) expect(shown).not.toContain(token);
  });

  test("a configured client's secret is not sent to another authorization server, whether or not its own was configured", async () => {
    for (const named of [true, false]) {
      const { next, client } = await migrate((as) => ({
        client: { clientId: "given", clientSecret: "s", ...(named ? { issuer: as.issuer } : {}) },
      }));
      const error = await refusalOf(client.callTool("t"));
      expect(error).toMatchObject({ code: "issuer_refused", issuer: next.issuer });
      expect([...next.authorizations, ...next.tokenRequests]).toEqual([]);
      // Not even its metadata is fetched: the server would choose the address.
      expect(next.metadataRequests).toEqual([]);
    }
  });

  test("a server without metadata cannot make itself the authorization server of a configured client", async () => {
    const asked: string[] = [];
    const fetch = async (url: string) => {
      asked.push(new URL(url).pathname);
      return new Response(null, { status: 404 });
    };
    const grant = clientCredentials({ client: { clientId: "job", clientSecret: "s", issuer: "https://as.example" } });
    const authorizer = createAuthorizer("https://mcp.example/mcp", { grant, fetch });
    const request = { url: new URL("https://mcp.example/mcp"), method: "POST" };
    const refusal = { request, sent: {}, status: 401, headers: () => undefined, operation: "x" };
    await expect(authorizer.onUnauthorized(refusal)).rejects.toMatchObject({ code: "issuer_refused" });
    expect(asked.filter((path) => !path.startsWith("/.well-known/oauth-protected-resource"))).toEqual([]);
  });

  test("an issuer recorded on first use is reported, and applies after a restart", async () => {
    const servers = await startServers();
    const issuerStore = createMemoryAuthStore();
    const onWarning = vi.fn();
    const options = () => ({
      grant: clientCredentials({ client: { clientId: "job", clientSecret: "s" } }),
      issuerStore,
      onWarning,
    });
    await enter(servers, options());
    expect(onWarning).toHaveBeenCalledExactlyOnceWith(expect.stringContaining(servers.as.issuer));
    await enter(servers, options());
    expect(onWarning).toHaveBeenCalledTimes(1);
    const next = await startAuthorizationServer();
    closers.push(next.close);
    servers.rs.options.servers = [next];
    expect(await refusalOf(enter(servers, options()))).toMatchObject({ code: "issuer_refused" });
    expect([...next.metadataRequests, ...next.tokenRequests]).toEqual([]);
  });

  test("a refresh token of an earlier issuer is not used after another issuer was configured", async () => {
    const servers = await startServers({ expiresIn: 1 });
    const store = createMemoryAuthStore();
    await enter(servers, { store, grant: byCode(servers.as, { client: { clientId: "given" } }) });
    const requests = servers.as.tokenRequests.length;
    vi.setSystemTime(Date.now() + 10_000);
    const client = { clientId: "given", issuer: "https://other.example" };
    const grant = byCode(servers.as, { client });
    expect(await refusalOf(enter(servers, { store, grant }))).toMatchObject({ code: "issuer_refused" });
    expect(servers.as.tokenRequests).toHaveLength(requests);
  });

  test("a registration that the authorization server has forgotten is repeated", async () => {
    const servers = await startServers();
    const store = createMemoryAuthStore();
    await enter(servers, { store });
    servers.rs.revokeAll();
    let refusals = 0;
    servers.as.options.answerToken = ({ form }) => {
      if (form.get("client_id") !== "client-1") return undefined;
      refusals += 1;
      return { status: 401, body: { error: "invalid_client" } };
    };
    await enter(servers, { store });
    expect(refusals).toBe(1);
    expect(servers.as.registrations).toHaveLength(2);
  });
});

describe("tokens bound to a key (RFC 9449)", () => {
  test("a server that requires DPoP gets a fresh proof with each request, with the nonces of both servers", async () => {
    const servers = await startServers({ nonce: "as-nonce" }, { scheme: "DPoP", nonce: "rs-nonce" });
    const client = await enter(servers);
    await client.listTools();
    servers.rs.options.nonce = "rs-nonce-2";
    await client.listTools();
    const proofs = servers.rs.requests.flatMap(({ headers }) => headers.dpop ?? []) as string[];
    expect(new Set(proofs).size).toBe(proofs.length);
    expect(proofs.length).toBeGreaterThanOrEqual(4);
    expect(servers.rs.requests.filter(({ headers }) => headers.authorization?.startsWith("Bearer"))).toEqual([]);
    expect(servers.as.authorizations).toHaveLength(1);
    const { authorization = "" } = servers.rs.requests.at(-1)?.headers ?? {};
    expect(servers.as.tokenOf(authorization.split(" ")[1] ?? "")?.jkt).toMatch(/^[\w-]{43}$/);
  });

  test("the key is stored with the tokens, and a refresh is proved with it", async () => {
    const servers = await startServers({}, { scheme: "DPoP" });
    const store = createMemoryAuthStore();
    await enter(servers, { store });
    servers.rs.revokeAll();
    await enter(servers, { store });
    const bound = servers.rs.requests.map(({ headers }) => headers.authorization?.split(" ")[1] ?? "");
    const thumbprints = new Set(
      bound.map((token) => servers.as.tokenOf(token)?.jkt).filter((jkt) => jkt !== undefined),
    );
    expect(thumbprints.size).toBe(1);
    expect(servers.as.authorizations).toHaveLength(1);
    expect(servers.as.tokenRequests.at(-1)?.form.get("grant_type")).toBe("refresh_token");
  });

  test("a plain bearer token is rejected where DPoP was required", async () => {
    const servers = await startServers();
    servers.as.options.answerToken = () => ({ status: 200, body: { access_token: "x", token_type: "Bearer" } });
    expect(await refusalOf(enter(servers, { dpop: true }))).toMatchObject({ code: "unsupported" });
  });
});

test("a program authorizes with its secret, and again when its token has expired", async () => {
  const servers = await startServers({ givesRefreshTokens: false });
  servers.as.options.metadata = { token_endpoint_auth_methods_supported: ["client_secret_post"] };
  const grant = clientCredentials({ client: { clientId: "job", clientSecret: "s" } });
  const client = await enter(servers, { grant });
  await client.listTools();
  servers.rs.revokeAll();
  await client.listTools();
  const forms = servers.as.tokenRequests.map(({ form }) => Object.fromEntries(form));
  const expected = {
    grant_type: "client_credentials",
    client_id: "job",
    client_secret: "s",
    resource: servers.rs.url.href,
  };
  expect(forms).toEqual([expected, expected]);
});
