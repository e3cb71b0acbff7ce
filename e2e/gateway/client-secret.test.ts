// Only the right authorization server gets the client secret that an operator configured for an upstream (G-33).
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AuthStore, createMemoryAuthStore } from "@lethe/client/auth";
import { createFileAuthStore } from "@lethe/client/node";
import { createGateway } from "lethe/gateway";
import { afterEach, expect, it } from "vitest";
import {
  type AuthorizationServer,
  startAuthorizationServer,
} from "../../packages/client/src/auth/testing/authorization-server.ts";
import { startProtectedServer } from "../../packages/client/src/auth/testing/protected-server.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function startAuthorization(): Promise<AuthorizationServer> {
  const server = await startAuthorizationServer();
  cleanups.push(server.close);
  return server;
}

/** An upstream that names the authorization server `named`. */
async function startUpstream(named: AuthorizationServer) {
  const upstream = await startProtectedServer({ servers: [named] });
  cleanups.push(upstream.close);
  return upstream;
}

/** Runs a gateway until it has tried the upstream, and returns everything that it reported. */
async function run(url: URL, { issuer, issuers }: { issuer?: string; issuers?: AuthStore } = {}): Promise<string> {
  const reported: string[] = [];
  const clientCredentials = { clientId: "me", clientSecret: "SECRET-client", ...(issuer !== undefined && { issuer }) };
  const upstream = {
    kind: "http",
    name: "up",
    url: url.href,
    headers: {},
    credentials: { clientCredentials },
  } as const;
  const gateway = createGateway(
    { upstreams: [upstream] },
    {
      onProblem: (problem) => reported.push(problem),
      onEvent: (event) => reported.push("reason" in event ? event.reason : event.kind),
      ...(issuers && { issuers }),
    },
  );
  await gateway.settled;
  await gateway.close();
  return reported.join("\n");
}

const asked = ({ metadataRequests, tokenRequests }: AuthorizationServer) =>
  metadataRequests.length + tokenRequests.length;

it("the gateway sends no request to an authorization server other than the configured one", async () => {
  const [own, other] = [await startAuthorization(), await startAuthorization()];
  const upstream = await startUpstream(other);
  const reported = await run(upstream.url, { issuer: own.issuer });
  expect(asked(other)).toBe(0);
  expect(reported).toContain("gateway.upstreams.up.credentials.clientCredentials.issuer");
  expect(reported).toContain(other.issuer);
  expect(reported).not.toContain("SECRET");
});

it("without a configured issuer, the gateway records and logs the first one and keeps it after a restart", async () => {
  const folder = await mkdtemp(join(tmpdir(), "lethe-issuers-"));
  cleanups.push(() => rm(folder, { recursive: true }));
  const [own, other] = [await startAuthorization(), await startAuthorization()];
  const upstream = await startUpstream(own);
  const first = await run(upstream.url, { issuers: createFileAuthStore(folder) });
  expect(first).toContain(`authorization server ${own.issuer} for the first time`);
  expect(first).toContain("gateway.upstreams.up.credentials.clientCredentials.issuer");
  expect(own.tokenRequests).toHaveLength(1);

  upstream.options.servers = [other];
  const second = await run(upstream.url, { issuers: createFileAuthStore(folder) });
  expect(asked(other)).toBe(0);
  expect(second).toContain("gateway.upstreams.up.credentials.clientCredentials.issuer");
  // The operator configures another issuer.
  await run(upstream.url, { issuers: createFileAuthStore(folder), issuer: other.issuer });
  expect(other.tokenRequests).toHaveLength(1);
});

it("an issuer that cannot be recorded never receives the secret", async () => {
  const own = await startAuthorization();
  const upstream = await startUpstream(own);
  const issuers = {
    ...createMemoryAuthStore(),
    save: () => Promise.reject(new Error("read-only file system")),
  };
  const reported = await run(upstream.url, { issuers });
  expect(own.tokenRequests).toEqual([]);
  expect(reported).toContain("read-only file system; set gateway.upstreams.up.credentials.clientCredentials.issuer");
});
