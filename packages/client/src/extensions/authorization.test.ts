// The authorization extensions: the client declares them and gets its tokens by them.
import { afterEach, expect, test } from "vitest";
import { startAuthorizationServer } from "../auth/testing/authorization-server.ts";
import { startProtectedServer } from "../auth/testing/protected-server.ts";
import { connect } from "../node/connect.ts";
import { enterpriseManagedAuthorization, oauthClientCredentials } from "./authorization.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function startServers() {
  const as = await startAuthorizationServer();
  const idp = await startAuthorizationServer();
  const rs = await startProtectedServer({ servers: [as] });
  closers.push(as.close, idp.close, rs.close);
  return { as, idp, rs };
}

const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const idJag = "urn:ietf:params:oauth:token-type:id-jag";

test("a client with OAuth client credentials declares the extension and calls a protected server without a user", async () => {
  const { as, rs } = await startServers();
  const credentials = oauthClientCredentials(
    { client: { clientId: "job", clientSecret: "secret", issuer: as.issuer } },
    { scopes: ["reports"] },
  );
  const client = await connect(rs.url, { extensions: [credentials], era: "modern" });
  closers.push(() => client.close());
  expect(await client.callTool("x")).toMatchObject({ content: [{ text: "in" }] });
  expect(client.capabilities.extensions).toMatchObject({ "io.modelcontextprotocol/oauth-client-credentials": {} });
  expect(as.tokenRequests).toHaveLength(1);
  expect(Object.fromEntries(as.tokenRequests[0]?.form ?? [])).toMatchObject({
    grant_type: "client_credentials",
    resource: rs.url.href,
    scope: "reports",
  });
});

test("a client with enterprise-managed authorization exchanges the sign-in of its user for a token, without asking the user", async () => {
  const { as, idp, rs } = await startServers();
  const body = { access_token: "the-id-jag", issued_token_type: idJag, token_type: "N_A" };
  idp.options.answerToken = () => ({ status: 200, body });
  const company = enterpriseManagedAuthorization({
    client: { clientId: "assistant", clientSecret: "secret", issuer: as.issuer },
    identityProvider: { issuer: idp.issuer, client: { clientId: "assistant-at-idp", clientSecret: "other" } },
    idToken: () => "the-id-token",
  });
  const client = await connect(rs.url, { extensions: [company], era: "modern" });
  closers.push(() => client.close());
  expect(await client.callTool("x")).toMatchObject({ content: [{ text: "in" }] });
  const id = "io.modelcontextprotocol/enterprise-managed-authorization";
  expect(client.capabilities.extensions).toMatchObject({ [id]: {} });
  expect(Object.fromEntries(idp.tokenRequests[0]?.form ?? [])).toMatchObject({
    subject_token: "the-id-token",
    audience: as.issuer,
    resource: rs.url.href,
  });
  expect(Object.fromEntries(as.tokenRequests[0]?.form ?? [])).toMatchObject({
    grant_type: jwtBearer,
    assertion: "the-id-jag",
  });
  expect(as.authorizations).toEqual([]);
});

test("a client without access at the identity provider is refused with the error of the identity provider", async () => {
  const { as, idp, rs } = await startServers();
  idp.options.answerToken = () => ({ status: 400, body: { error: "access_denied" } });
  const company = enterpriseManagedAuthorization({
    client: { clientId: "assistant", issuer: as.issuer },
    identityProvider: { issuer: idp.issuer, client: { clientId: "assistant-at-idp" } },
    idToken: () => "the-id-token",
  });
  await expect(connect(rs.url, { extensions: [company], era: "modern" })).rejects.toMatchObject({
    code: "token_refused",
    oauthError: "access_denied",
  });
  expect(as.tokenRequests).toEqual([]);
});

test("two extensions that get tokens are rejected", async () => {
  const one = oauthClientCredentials({ client: { clientId: "a", clientSecret: "b" } });
  const other = { ...one, id: "com.example/other" };
  await expect(connect("https://a.example/mcp", { extensions: [one, other] })).rejects.toThrow(
    'extension "com.example/other": pass one extension that gets tokens',
  );
});
