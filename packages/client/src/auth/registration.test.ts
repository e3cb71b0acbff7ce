import { expect, test } from "vitest";
import { parseRegistration, processRegistrationResponse, toClientMetadata } from "./registration.ts";

const issuer = "https://as.example";
const local = "http://127.0.0.1:4000/callback";
const hosted = "https://client.example/callback";

test.each([
  [local, "native"],
  ["http://localhost/callback", "native"],
  ["https://localhost/callback", "native"],
  [hosted, "web"],
])("a client that is come back to at %s is a %s one (G-32)", (redirectUrl, applicationType) => {
  expect(toClientMetadata({ issuer }, { redirectUrl })).toMatchObject({
    application_type: applicationType,
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
  });
});

test("a native program registers without a secret, a hosted one with a secret, and the host can override both", () => {
  const methods = ["client_secret_post", "none", "client_secret_basic"];
  const server = { issuer, token_endpoint_auth_methods_supported: methods };
  expect(toClientMetadata(server, { redirectUrl: local })).toMatchObject({ token_endpoint_auth_method: "none" });
  expect(toClientMetadata(server, { redirectUrl: hosted })).toMatchObject({
    token_endpoint_auth_method: "client_secret_basic",
  });
  expect(toClientMetadata({ issuer }, { redirectUrl: local })).not.toHaveProperty("token_endpoint_auth_method");
  const clientMetadata = { logo_uri: "https://client.example/logo.svg" };
  const options = { redirectUrl: local, clientName: "mine", applicationType: "web", clientMetadata } as const;
  expect(toClientMetadata(server, options)).toMatchObject({
    client_name: "mine",
    application_type: "web",
    ...clientMetadata,
  });
});

const process = (body: unknown, status = 201) =>
  processRegistrationResponse(Response.json(body, { status }), { issuer, redirectUrl: local });

test("the response to a registration is parsed leniently", async () => {
  expect(await process({ client_id: "c" })).toEqual({ clientId: "c", redirectUrl: local });
  const full = { client_id: "c", client_secret: "s", client_secret_expires_at: 7, token_endpoint_auth_method: "none" };
  expect(await process(full, 200)).toEqual({
    clientId: "c",
    clientSecret: "s",
    authMethod: "none",
    expiresAt: 7000,
    redirectUrl: local,
  });
  expect(await process({ client_id: "c", client_secret: "s", client_secret_expires_at: 0 })).not.toHaveProperty(
    "expiresAt",
  );
  for (const body of [{}, { client_id: 7 }, { client_id: "" }, []]) {
    await expect(process(body)).rejects.toMatchObject({ code: "invalid_answer", issuer });
  }
});

test("a rejected redirect URL is named, and other rejections say what to do (G-32)", async () => {
  await expect(process({ error: "invalid_redirect_uri" }, 400)).rejects.toMatchObject({
    code: "registration_refused",
    oauthError: "invalid_redirect_uri",
    message: expect.stringContaining(`it does not accept the redirect URL ${local}`),
  });
  await expect(process("<html>", 403)).rejects.toMatchObject({
    code: "registration_refused",
    status: 403,
    message: expect.stringMatching(/register a client there by hand/),
  });
});

test("a stored registration is valid for its redirect URL until its secret expires", () => {
  const kept = { clientId: "c", redirectUrl: local };
  expect(parseRegistration(kept, local)).toEqual(kept);
  expect(parseRegistration(kept, hosted)).toBeUndefined();
  expect(parseRegistration({ ...kept, expiresAt: Date.now() - 1 }, local)).toBeUndefined();
  expect(parseRegistration({ ...kept, expiresAt: Date.now() + 60_000 }, local)).toBeDefined();
  expect(parseRegistration({ redirectUrl: local }, local)).toBeUndefined();
  expect(parseRegistration(undefined, local)).toBeUndefined();
});
