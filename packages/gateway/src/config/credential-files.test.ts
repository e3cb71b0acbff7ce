// The files that the credentials of an upstream name, in a configuration file.
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import type { ConfigError } from "./config-error.ts";
import { readConfig } from "./read-config.ts";

const folder = mkdtempSync(join(tmpdir(), "lethe-keys-"));
afterAll(() => rmSync(folder, { recursive: true }));
const toPem = () =>
  generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "pem", type: "pkcs8" }).toString();
const pem = toPem();
writeFileSync(join(folder, "own.pem"), pem);
writeFileSync(join(folder, "note.txt"), "no private key");

const file = join(folder, "servers.json");
const issuer = "https://as.example";

function read(credentials: object, environment: Record<string, string> = {}) {
  const mcpServers = { up: { url: "https://up.example/mcp" } };
  writeFileSync(file, JSON.stringify({ mcpServers, gateway: { upstreams: { up: { credentials } } } }));
  return readConfig([file], { environment });
}

const withKey = (privateKey: object) => ({ clientCredentials: { clientId: "lethe", privateKey, issuer } });

it("reads a private key from its file, watches the file, and keeps the key out of logs", async () => {
  const { config, files, secrets } = await read(withKey({ file: "own.pem", keyId: "one" }));
  expect(config.upstreams[0]).toMatchObject({ credentials: withKey({ key: pem, keyId: "one" }) });
  expect(files).toEqual([file, join(folder, "own.pem")]);
  expect(secrets).toEqual(expect.arrayContaining([pem, pem.split("\n")[1]]));
});

it("reads a private key from a variable", async () => {
  const { config, secrets } = await read(withKey({ key: "${CLIENT_PEM}" }), { CLIENT_PEM: pem });
  expect(config.upstreams[0]).toMatchObject({ credentials: withKey({ key: pem }) });
  expect(secrets).toContain(pem);
});

it("reads the key of a caller and of the identity provider, and finds the id token beside the configuration", async () => {
  const client = { clientId: "lethe", privateKey: { file: "own.pem" } };
  const enterpriseManaged = {
    ...{ clientId: "lethe", clientSecret: "secret-of-lethe", issuer },
    identityProvider: { ...client, issuer: "https://idp.example" },
    idTokenFile: "id-token",
  };
  const { config } = await read({ callers: { "key ann": { enterpriseManaged } } });
  const expected = { identityProvider: { privateKey: { key: pem } }, idTokenFile: join(folder, "id-token") };
  expect(config.upstreams[0]).toMatchObject({
    credentials: { callers: { "key ann": { enterpriseManaged: expected } } },
  });
});

const place = "gateway.upstreams.up.credentials";
it.each([
  [
    withKey({ file: "none.pem" }),
    /clientCredentials\.privateKey\.file must be a file that can be read, got ENOENT for ".*none\.pem"$/,
  ],
  [
    withKey({ file: "note.txt" }),
    /clientCredentials\.privateKey\.file must be a private RSA, EC or Ed25519 key without a passphrase: PEM or JWK$/,
  ],
  [withKey({ key: "no private key" }), /clientCredentials\.privateKey\.key must be a private RSA/],
  [withKey({}), /clientCredentials\.privateKey must have either "key" or "file"$/],
  [{ clientCredentials: { clientId: "lethe" } }, /clientCredentials must have either "clientSecret" or "privateKey"$/],
])("reports %j", async (credentials, expected) => {
  const { problems } = await read(credentials).then(
    () => ({ problems: [] }),
    (error: ConfigError) => error,
  );
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(expected);
  expect(problems[0]).toContain(place);
  expect(problems[0]).not.toContain("no private key");
});
