import { afterEach, expect, test, vi } from "vitest";
import { createAuthorizer } from "./create-authorizer.ts";
import type { Grant } from "./grant.ts";
import { enterpriseManaged, workloadIdentity } from "./jwt-bearer.ts";
import { startAuthorizationServer } from "./testing/authorization-server.ts";
import { startProtectedServer } from "./testing/protected-server.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function startServers() {
  const as = await startAuthorizationServer();
  const idp = await startAuthorizationServer();
  const rs = await startProtectedServer({ servers: [as], challenge: 'scope="a"' });
  closers.push(as.close, idp.close, rs.close);
  return { as, idp, rs };
}

/** The first refusal of a request. */
async function getIn(url: URL, grant: Grant): Promise<void> {
  const authorizer = createAuthorizer(url, { grant });
  const request = { url, method: "POST" };
  const headers = (name: string) => (name === "www-authenticate" ? 'Bearer scope="a"' : undefined);
  await authorizer.onUnauthorized({ request, sent: {}, status: 401, headers, operation: "x" });
}

const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const idJag = "urn:ietf:params:oauth:token-type:id-jag";

test("a workload requests a new assertion of its platform for each token", async () => {
  const { as, rs } = await startServers();
  const assertion = vi.fn(() => "jwt");
  await getIn(rs.url, workloadIdentity({ client: { clientId: "w" }, assertion }));
  expect(Object.fromEntries(as.tokenRequests[0]?.form ?? [])).toEqual({
    grant_type: jwtBearer,
    assertion: "jwt",
    client_id: "w",
    resource: rs.url.href,
    scope: "a",
  });
  expect(assertion).toHaveBeenCalledWith({ issuer: as.issuer, resource: rs.url.href, signal: expect.any(AbortSignal) });
});

test("a rejected workload does not retry", async () => {
  const { as, rs } = await startServers();
  as.options.answerToken = () => ({ status: 400, body: { error: "invalid_grant" } });
  const grant = workloadIdentity({ client: { clientId: "w" }, assertion: () => "jwt" });
  await expect(getIn(rs.url, grant)).rejects.toMatchObject({ code: "token_refused", oauthError: "invalid_grant" });
  expect(as.tokenRequests).toHaveLength(1);
});

test("a company's identity provider exchanges a sign-in for an assertion for the authorization server", async () => {
  const { as, idp, rs } = await startServers();
  idp.options.answerToken = () => ({
    status: 200,
    body: { access_token: "id-jag", issued_token_type: idJag, token_type: "N_A" },
  });
  const identityProvider = { issuer: idp.issuer, client: { clientId: "at-idp", clientSecret: "s" } };
  const client = { clientId: "at-as", clientSecret: "t" };
  await getIn(rs.url, enterpriseManaged({ client, identityProvider, idToken: () => "id-token" }));
  expect(Object.fromEntries(idp.tokenRequests[0]?.form ?? [])).toEqual({
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    requested_token_type: idJag,
    audience: as.issuer,
    resource: rs.url.href,
    scope: "a",
    subject_token: "id-token",
    subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
  });
  expect(idp.tokenRequests[0]?.authorization).toBe(`Basic ${btoa("at-idp:s")}`);
  expect(Object.fromEntries(as.tokenRequests[0]?.form ?? [])).toEqual({
    grant_type: jwtBearer,
    assertion: "id-jag",
    resource: rs.url.href,
    scope: "a",
  });
  expect(as.tokenRequests[0]?.authorization).toBe(`Basic ${btoa("at-as:t")}`);
});

test("a token of the identity provider that is no authorization grant is rejected", async () => {
  const { as, idp, rs } = await startServers();
  const body = {
    access_token: "x",
    issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
    token_type: "Bearer",
  };
  idp.options.answerToken = () => ({ status: 200, body });
  const identityProvider = { issuer: idp.issuer, tokenEndpoint: `${idp.issuer}/token`, client: { clientId: "at-idp" } };
  const grant = enterpriseManaged({ client: { clientId: "at-as" }, identityProvider, idToken: () => "id-token" });
  await expect(getIn(rs.url, grant)).rejects.toMatchObject({ code: "invalid_answer", issuer: idp.issuer });
  expect(idp.metadataRequests).toEqual([]);
  expect(as.tokenRequests).toEqual([]);
});
