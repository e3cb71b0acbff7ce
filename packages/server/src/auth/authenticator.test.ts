// Bearer tokens at a resource server (G.1): accepted tokens, rejected tokens, and the content of a rejection.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { AuthenticationError } from "./authentication-error.ts";
import { type Authenticator, type AuthenticatorOptions, createAuthenticator } from "./authenticator.ts";
import type { JwtOptions } from "./jwt-verifier.ts";

const resource = "https://tracker.example/mcp";
const issuer = "https://login.example";
const metadataUrl = "https://tracker.example/.well-known/oauth-protected-resource/mcp";

let keys: Awaited<ReturnType<typeof generateKeyPair>>;
let jwks: NonNullable<JwtOptions["jwks"]>;

beforeAll(async () => {
  keys = await generateKeyPair("ES256");
  jwks = { keys: [{ ...(await exportJWK(keys.publicKey)), kid: "k1", alg: "ES256", use: "sig" }] };
});

function authenticatorOf(options: Partial<AuthenticatorOptions> = {}, jwt: Partial<JwtOptions> = {}): Authenticator {
  return createAuthenticator({
    resource,
    authorizationServers: [issuer],
    ...(options.verify ? {} : { jwt: { issuer, ...(jwt.jwksUrl ? {} : { jwks }), ...jwt } }),
    ...options,
  });
}

interface Minting {
  key?: Parameters<SignJWT["sign"]>[0];
  alg?: string;
  kid?: string;
  typ?: string;
}

/** An Authorization header with a token that is right but for `claims`; a claim that is undefined is left out. */
async function authorizationOf(
  claims: Record<string, unknown> = {},
  { key = keys.privateKey, alg = "ES256", kid, typ }: Minting = {},
) {
  const now = Math.floor(Date.now() / 1000);
  const all = { iss: issuer, aud: resource, sub: "alice", exp: now + 60, scope: "read write", ...claims };
  const token = new SignJWT(all).setProtectedHeader({
    alg,
    ...(kid !== undefined && { kid }),
    ...(typ !== undefined && { typ }),
  });
  return `Bearer ${await token.sign(key)}`;
}

async function refusalOf(authenticating: Promise<unknown>): Promise<AuthenticationError> {
  const error = await authenticating.then(
    () => expect.unreachable("accepted"),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(AuthenticationError);
  return error as AuthenticationError;
}

test("a custom verifier rejects a request with its own error", async () => {
  const refusal = new AuthenticationError(403, "blocked", { wwwAuthenticate: "Bearer realm=x" });
  const onRefused = vi.fn();
  const { authenticate } = authenticatorOf({ verify: () => Promise.reject(refusal), onRefused });
  const sender = { remoteAddress: "192.0.2.1", headers: () => undefined };
  expect(await refusalOf(authenticate("Bearer x", sender))).toBe(refusal);
  expect(onRefused).toHaveBeenCalledExactlyOnceWith(refusal, sender);
});

test("names the caller of a valid token by issuer and subject, with its scopes and claims", async () => {
  const caller = await authenticatorOf().authenticate(await authorizationOf());
  expect(caller).toMatchObject({ id: `${issuer} alice`, scopes: ["read", "write"], claims: { sub: "alice" } });
  expect(caller.expiresAt).toBeGreaterThan(Date.now());
  expect(JSON.stringify(caller)).not.toContain("eyJ");
});

test("treats the same subject of another issuer as another caller", async () => {
  const other = authenticatorOf({}, { issuer: "https://other.example" });
  const [here, there] = await Promise.all([
    authenticatorOf().authenticate(await authorizationOf()),
    other.authenticate(await authorizationOf({ iss: "https://other.example" })),
  ]);
  expect(here.id).not.toBe(there.id);
});

test("reads scopes from scp too, as a list or a string", async () => {
  const list = await authorizationOf({ scope: undefined, scp: ["a", "b"] });
  const text = await authorizationOf({ scope: undefined, scp: "a b" });
  expect((await authenticatorOf().authenticate(list)).scopes).toEqual(["a", "b"]);
  expect((await authenticatorOf().authenticate(text)).scopes).toEqual(["a", "b"]);
});

test("answers a request without a token with 401, the metadata URL and the scopes, and no error code (G-3)", async () => {
  const refusal = await refusalOf(authenticatorOf({ requiredScopes: ["read"] }).authenticate(undefined));
  expect(refusal.status).toBe(401);
  expect(refusal.wwwAuthenticate).toBe(`Bearer scope="read", resource_metadata="${metadataUrl}"`);
});

test("treats another authentication scheme as a missing token (G-3)", async () => {
  const refusal = await refusalOf(authenticatorOf().authenticate("Basic YWxpY2U6c2VjcmV0"));
  expect([refusal.status, refusal.wwwAuthenticate]).toEqual([401, `Bearer resource_metadata="${metadataUrl}"`]);
});

test.each(["Bearer", "Bearer ", "Bearer a b", "Bearer a, Bearer b", "Bearer ä", `Bearer ${"a".repeat(16_385)}`])(
  "the malformed header %.20s answers 400 (G-4)",
  async (authorization) => {
    const refusal = await refusalOf(authenticatorOf().authenticate(authorization));
    expect(refusal.status).toBe(400);
    expect(refusal.wwwAuthenticate).toContain('error="invalid_request"');
  },
);

test("answers every kind of invalid token with the same 401 (G-3, G-5)", async () => {
  const stranger = await generateKeyPair("ES256");
  const now = Math.floor(Date.now() / 1000);
  const none = `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify({ iss: issuer, aud: resource, sub: "alice" }))}.`;
  const bad = {
    expired: await authorizationOf({ exp: now - 60 }),
    "without expiry": await authorizationOf({ exp: undefined }),
    "not valid yet": await authorizationOf({ nbf: now + 60 }),
    "for another server": await authorizationOf({ aud: "https://other.example/mcp" }),
    "for no server": await authorizationOf({ aud: undefined }),
    "of another issuer": await authorizationOf({ iss: "https://evil.example" }),
    "without subject": await authorizationOf({ sub: undefined }),
    "signed by a stranger": await authorizationOf({}, { key: stranger.privateKey }),
    "of an unknown key": await authorizationOf({}, { kid: "k2" }),
    "signed with a shared secret": await authorizationOf({}, { key: new Uint8Array(32), alg: "HS256" }),
    "of another kind": await authorizationOf({}, { typ: "oauth-id-jag+jwt" }),
    "of another kind, as a media type": await authorizationOf({}, { typ: "application/DPoP+jwt" }),
    unsigned: `Bearer ${none.replaceAll("=", "")}`,
    "not a JWT": "Bearer abc",
  };
  const onRefused = vi.fn();
  const authenticator = authenticatorOf({ onRefused });
  const seen = new Set<string>();
  for (const authorization of Object.values(bad)) {
    const refusal = await refusalOf(authenticator.authenticate(authorization));
    seen.add(JSON.stringify([refusal.status, refusal.wwwAuthenticate, refusal.message]));
  }
  expect([...seen]).toHaveLength(1);
  expect([...seen][0]).toContain("invalid_token");
  expect(onRefused).toHaveBeenCalledTimes(Object.keys(bad).length);
});

test("accepts access tokens of each usual type", async () => {
  for (const typ of ["at+jwt", "application/at+jwt", "JWT"])
    expect((await authenticatorOf().authenticate(await authorizationOf({}, { typ }))).claims?.sub).toBe("alice");
});

test("accepts only the configured algorithms", async () => {
  const authenticator = authenticatorOf({}, { algorithms: ["RS256"] });
  expect((await refusalOf(authenticator.authenticate(await authorizationOf()))).status).toBe(401);
});

test.each(["none", "HS256"])("rejects the algorithm %s in the configuration", (algorithm) => {
  expect(() => authenticatorOf({}, { algorithms: ["ES256", algorithm] })).toThrow(algorithm);
});

test("answers a token without the required scopes with 403 and all of them (G-4)", async () => {
  const authenticator = authenticatorOf({ requiredScopes: ["read", "admin"] });
  const refusal = await refusalOf(authenticator.authenticate(await authorizationOf()));
  expect(refusal.status).toBe(403);
  expect(refusal.wwwAuthenticate).toContain('error="insufficient_scope"');
  expect(refusal.wwwAuthenticate).toContain('scope="read admin"');
});

test("a broad scope implies the narrow ones below it (G-5)", async () => {
  const scopeHierarchy = { admin: ["write"], write: ["read"], read: ["admin"] };
  const authenticator = authenticatorOf({ requiredScopes: ["read"], scopeHierarchy });
  const caller = await authenticator.authenticate(await authorizationOf({ scope: "admin constructor" }));
  expect(caller.scopes).toEqual(["admin", "constructor", "write", "read"]);
});

test("uses the result of a custom verifier and never reveals the errors it throws", async () => {
  const verify = vi.fn(async (token: string) => {
    if (token === "broken") throw new Error("postgres://secret");
    return token === "good" ? { id: "alice" } : undefined;
  });
  const authenticator = authenticatorOf({ verify });
  expect(await authenticator.authenticate("bearer good")).toEqual({ id: "alice", scopes: [] });
  for (const token of ["broken", "unknown"]) {
    const refusal = await refusalOf(authenticator.authenticate(`Bearer ${token}`));
    expect([refusal.status, refusal.message.includes("postgres")]).toEqual([401, false]);
  }
});

test("verifies each request anew and caches nothing about a token (A-10)", async () => {
  const verify = vi.fn(async () => ({ id: "alice" }));
  const authenticator = authenticatorOf({ verify });
  await authenticator.authenticate("Bearer a");
  await authenticator.authenticate("Bearer a");
  expect(verify).toHaveBeenCalledTimes(2);
});

test("requires exactly one of jwt and verify", () => {
  const verify = async () => undefined;
  const base = { resource, authorizationServers: [issuer] };
  expect(() => createAuthenticator(base)).toThrow("either jwt or verify");
  expect(() => createAuthenticator({ ...base, verify, jwt: { issuer, jwks: { keys: [] } } })).toThrow("either");
  expect(() => authenticatorOf({}, { jwksUrl: "http://login.example/keys" })).toThrow("https");
});

test("throws only AuthenticationError for any Authorization header", async () => {
  const authenticator = authenticatorOf();
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string(),
        fc.base64String().map((text) => `Bearer ${text}.e.s`),
      ),
      async (header) => {
        await refusalOf(authenticator.authenticate(header));
      },
    ),
  );
});

interface Issuer {
  url: string;
  requests: number;
  status: number;
}

async function startIssuer(): Promise<Issuer> {
  const server = createServer((_, response) => {
    running.requests += 1;
    response.writeHead(running.status, { "content-type": "application/json" }).end(JSON.stringify(jwks));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const running: Issuer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
    requests: 0,
    status: 200,
  };
  return running;
}

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

test("fetches the issuer's keys once, on first use, and not again for each unknown key", async () => {
  const running = await startIssuer();
  const authenticator = authenticatorOf({}, { jwksUrl: running.url });
  expect(running.requests).toBe(0);
  await Promise.all([1, 2, 3].map(async () => authenticator.authenticate(await authorizationOf({}, { kid: "k1" }))));
  for (let attempt = 0; attempt < 5; attempt += 1) {
    await refusalOf(authenticator.authenticate(await authorizationOf({}, { kid: `unknown ${attempt}` })));
  }
  expect(running.requests).toBe(1);
});

test("answers 503 when the issuer's keys are unavailable, because the token may be valid", async () => {
  const down = await startIssuer();
  down.status = 500;
  const onRefused = vi.fn();
  const authenticator = authenticatorOf({ onRefused }, { jwksUrl: down.url });
  const refusal = await refusalOf(authenticator.authenticate(await authorizationOf()));
  expect([refusal.status, refusal.wwwAuthenticate]).toEqual([503, undefined]);
  down.status = 200;
  expect((await authenticator.authenticate(await authorizationOf())).id).toBe(`${issuer} alice`);
});

test("reports the audience of a token for another server, and a missing claim, to the operator", async () => {
  const onRefused = vi.fn();
  const { authenticate } = authenticatorOf({ onRefused, requiredScopes: ["admin"] });
  await refusalOf(authenticate(await authorizationOf({ aud: "https://other.example/mcp" })));
  await refusalOf(authenticate(await authorizationOf({ iss: undefined })));
  await refusalOf(authenticate(await authorizationOf()));
  expect(onRefused.mock.calls.map(([reason]) => (reason instanceof Error ? reason.message : reason))).toEqual([
    `the token's "aud" must be ["${resource}"], got "https://other.example/mcp"`,
    `the token's "iss" must be "${issuer}", got missing`,
    `the token of ${issuer} alice lacks one of the scopes admin`,
  ]);
});
