// How the gateway authenticates to protected upstreams (J-62): with tokens that it obtains for itself or for one caller.
import { connect } from "@lethe/client/node";
import { createServer } from "@lethe/server";
import { createAuthenticator, createKeyAuthenticator } from "@lethe/server/auth";
import { serve } from "@lethe/server/node";
import { createGateway } from "lethe/gateway";
import { afterEach, expect, it } from "vitest";
import { startAuthorizationServer } from "../../packages/client/src/auth/testing/authorization-server.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A server that returns the token of the request and accepts only tokens of its authorization server. */
async function startProtected() {
  const authorization = await startAuthorizationServer();
  cleanups.push(() => authorization.close());
  const server = createServer({ name: "protected", version: "1.0.0" });
  server.tool("whoami", { handler: (_args, { caller }) => caller?.id ?? "nobody" });
  const servable = {
    dispatch: server.dispatch,
    info: server.info,
    authenticator: undefined as unknown as ReturnType<typeof createAuthenticator>,
  };
  const serving = await serve(servable, { port: 0 });
  cleanups.push(() => serving.close({ graceMs: 0 }));
  const clients = new Map<string, string>();
  servable.authenticator = createAuthenticator({
    resource: serving.url,
    authorizationServers: [authorization.issuer],
    async verify(token) {
      if (authorization.tokenOf(token)?.resource !== serving.url) return undefined;
      const request = authorization.tokenRequests.at(-1);
      if (!clients.has(token)) clients.set(token, clientOf(request?.authorization, request?.form));
      return { id: clients.get(token) ?? "" };
    },
  });
  return { url: serving.url, authorization };
}

function clientOf(authorization = "", form = new URLSearchParams()): string {
  const basic = Buffer.from(authorization.replace(/^Basic /, ""), "base64").toString();
  return form.get("client_id") ?? basic.split(":")[0] ?? "";
}

it("the gateway uses its own client credentials, and those of a caller that has some", async () => {
  const { url, authorization } = await startProtected();
  const gateway = createGateway({
    upstreams: [
      {
        kind: "http",
        name: "protected",
        url,
        headers: {},
        credentials: {
          clientCredentials: { clientId: "gateway", clientSecret: "secret", issuer: authorization.issuer },
          callers: {
            "key ann": { clientCredentials: { clientId: "ann", clientSecret: "secret", issuer: authorization.issuer } },
          },
        },
      },
    ],
  });
  cleanups.push(() => gateway.close());
  const keys = ["ann", "bob"].map((id) => ({ id, key: `key-of-${id}-0123456789` }));
  const authenticator = createKeyAuthenticator(keys);
  const serving = await serve(
    (path) => {
      const servable = gateway.servableAt(path);
      return servable && { ...servable, authenticator };
    },
    { port: 0, path: "/mcp" },
  );
  cleanups.push(() => serving.close({ graceMs: 0 }));
  await gateway.settled;
  // The probe uses the gateway's own token.
  expect(gateway.upstreams[0]?.verdict).toMatchObject({ source: "probe", word: "STATELESS" });
  for (const [id, expected] of [
    ["bob", "gateway"],
    ["ann", "ann"],
    ["bob", "gateway"],
  ]) {
    const client = await connect(serving.url, { headers: { authorization: `Bearer key-of-${id}-0123456789` } });
    const { content } = await client.callTool("protected__whoami");
    expect(content).toEqual([{ type: "text", text: expected }]);
    await client.close();
  }
  expect(authorization.tokenRequests).toHaveLength(2);
});
