// An authorization server of the package oidc-provider: node identity-provider.mjs '{"clients": […], "trusts": "ISSUER"}'. Prints its issuer.
// It has the client credentials grant, and both halves of enterprise-managed authorization: as the identity provider of a company it
// exchanges an id token for an ID-JAG, and as the authorization server of an MCP server it exchanges an ID-JAG of the issuer that it trusts
// for an access token. GET /sign-in?client_id=…&user=… stands for the browser in which a user signs in: it returns an id token.
import { once } from "node:events";
import { createServer } from "node:http";
import { createRemoteJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT } from "jose";
import { errors, Provider } from "oidc-provider";

const { clients, trusts } = JSON.parse(process.argv[2]);
const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";
const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const idJag = "urn:ietf:params:oauth:token-type:id-jag";

const server = createServer().listen(0, "127.0.0.1");
await once(server, "listening");
const issuer = `http://127.0.0.1:${server.address().port}`;
const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
const kid = "one";
const resourceServerOf = (resource) => ({
  ...{
    scope: "mcp",
    audience: resource,
    accessTokenFormat: "jwt",
    accessTokenTTL: 300,
    jwt: { sign: { alg: "RS256" } },
  },
});

const provider = new Provider(issuer, {
  clients: clients.map((client) => ({ redirect_uris: [], response_types: [], ...client })),
  jwks: { keys: [{ ...(await exportJWK(privateKey)), kid, use: "sig", alg: "RS256" }] },
  scopes: ["openid", "mcp"],
  clientAuthMethods: ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"],
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: { enabled: true, getResourceServerInfo: (_, resource) => resourceServerOf(resource) },
  },
});
const sign = (claims, typ) =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: "RS256", kid, typ })
    .setIssuer(issuer)
    .setIssuedAt()
    .setExpirationTime("5m");

provider.registerGrantType(
  tokenExchange,
  async (ctx) => {
    const { client, params } = ctx.oidc;
    const { audience, resource, scope, subject_token: subjectToken, requested_token_type: requested } = params;
    if (requested !== idJag || !audience || !resource) throw new errors.InvalidRequest("an ID-JAG must be asked for");
    const { payload } = await verified(subjectToken, publicKey, { issuer, audience: client.clientId });
    if (payload.sub === "mallory") throw new errors.AccessDenied("not allowed by the company");
    const claims = { client_id: client.clientId, resource, jti: crypto.randomUUID(), ...(scope && { scope }) };
    const access_token = await sign(claims, "oauth-id-jag+jwt")
      .setSubject(payload.sub)
      .setAudience(audience)
      .sign(privateKey);
    ctx.body = { access_token, issued_token_type: idJag, token_type: "N_A", expires_in: 300, ...(scope && { scope }) };
  },
  ["audience", "resource", "scope", "subject_token", "subject_token_type", "requested_token_type"],
);

provider.registerGrantType(
  jwtBearer,
  async (ctx) => {
    const { client, params } = ctx.oidc;
    const keys = createRemoteJWKSet(new URL(`${trusts}/jwks`));
    const options = { issuer: trusts, audience: issuer, typ: "oauth-id-jag+jwt" };
    const { payload } = await verified(params.assertion, keys, options);
    if (payload.client_id !== client.clientId) throw new errors.InvalidGrant("the ID-JAG is for another client");
    const { scope } = payload;
    const token = new provider.AccessToken({
      accountId: payload.sub,
      client,
      gty: "jwt_bearer",
      ...(scope && { scope }),
    });
    token.resourceServer = new provider.ResourceServer(payload.resource, resourceServerOf(payload.resource));
    const access_token = await token.save();
    ctx.body = { access_token, token_type: "Bearer", expires_in: token.expiration, ...(scope && { scope }) };
  },
  ["assertion", "resource", "scope"],
);

async function verified(token, key, options) {
  try {
    return await jwtVerify(token, key, options);
  } catch (error) {
    throw new errors.InvalidGrant(String(error.message));
  }
}

const answer = provider.callback();
server.on("request", async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, issuer);
  if (pathname !== "/sign-in") return answer(request, response);
  const user = searchParams.get("user");
  response.end(await sign({}, "JWT").setSubject(user).setAudience(searchParams.get("client_id")).sign(privateKey));
});
console.log(issuer);
