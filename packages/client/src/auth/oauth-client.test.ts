import { exportJWK, exportPKCS8, generateKeyPair, jwtVerify } from "jose";
import { describe, expect, test } from "vitest";
import { createClientAuth, type OAuthClient, selectAuthMethod } from "./oauth-client.ts";

const issuer = "https://as.example";
const key = { key: "pem" };

async function prove(client: OAuthClient, methods?: string[]) {
  const server = { issuer, ...(methods ? { token_endpoint_auth_methods_supported: methods } : {}) };
  const auth = await createClientAuth(server, client);
  const body = new URLSearchParams();
  const headers = new Headers();
  await auth(server, { client_id: client.clientId }, body, headers);
  return { body: Object.fromEntries(body), authorization: headers.get("authorization") };
}

describe("the client authentication method is one that both sides support (G-34)", () => {
  const basic = "client_secret_basic";
  const post = "client_secret_post";
  const jwt = "private_key_jwt";
  test.each<[Partial<OAuthClient>, string[] | undefined, string]>([
    [{ clientSecret: "s" }, [basic, post, "none"], basic],
    [{ clientSecret: "s" }, [post, "none"], post],
    [{ clientSecret: "s" }, ["none"], "none"],
    [{ clientSecret: "s" }, undefined, basic],
    [{ clientSecret: "s", authMethod: post }, [basic, post], post],
    [{ clientSecret: "s", authMethod: "tls_client_auth" }, [basic], basic],
    [{ privateKey: key, clientSecret: "s" }, [basic, jwt], jwt],
    [{ privateKey: key }, undefined, jwt],
    [{}, [basic, "none"], "none"],
    [{}, undefined, "none"],
  ])("%j where %j is accepted: %s", (client, supported, expected) => {
    const server = { issuer, ...(supported ? { token_endpoint_auth_methods_supported: supported } : {}) };
    expect(selectAuthMethod(server, { clientId: "c", ...client })).toBe(expected);
  });

  test("a client without the required credentials gets an error that names the accepted methods", () => {
    const server = { issuer, token_endpoint_auth_methods_supported: [jwt, "tls_client_auth"] };
    expect(() => selectAuthMethod(server, { clientId: "c" })).toThrow(/private_key_jwt or tls_client_auth/);
  });
});

test("a secret in the Authorization header is form-encoded, and nothing else is escaped", async () => {
  const { authorization, body } = await prove({ clientId: "my-client.1", clientSecret: "a b:c+d/é%" });
  expect(atob((authorization ?? "").slice("Basic ".length))).toBe("my-client.1:a+b%3Ac%2Bd%2F%C3%A9%25");
  expect(body).toEqual({});
});

test("a secret is sent in the body, and a public client sends none", async () => {
  const posted = await prove({ clientId: "c", clientSecret: "s" }, ["client_secret_post"]);
  expect(posted).toEqual({ body: { client_id: "c", client_secret: "s" }, authorization: null });
  expect(await prove({ clientId: "c" })).toEqual({ body: { client_id: "c" }, authorization: null });
});

test("a private key signs for the issuer, given as PEM, JWK or CryptoKey", async () => {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  const forms = [
    { key: await exportPKCS8(privateKey), algorithm: "ES256" },
    { key: await exportJWK(privateKey), algorithm: "ES256", keyId: "k1" },
    { key: privateKey },
  ];
  for (const form of forms) {
    const { body } = await prove({ clientId: "c", privateKey: form }, ["private_key_jwt"]);
    const { payload, protectedHeader } = await jwtVerify(body.client_assertion ?? "", publicKey);
    expect(payload).toMatchObject({ aud: issuer, iss: "c", sub: "c", jti: expect.any(String) });
    expect(protectedHeader.kid).toBe(form.keyId);
  }
});

test("the error for an unreadable private key does not contain the key", async () => {
  const privateKey = { key: "-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----" };
  const error = await prove({ clientId: "c", privateKey }).catch((thrown) => thrown);
  expect(error).toMatchObject({
    code: "unsupported",
    message: expect.stringMatching(/private key of client c cannot be read/),
  });
  expect(`${error.stack} ${error.cause}`).not.toContain("secret\n");
});
