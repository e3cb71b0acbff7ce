// The grants that settings describe, and the id token of a file.
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { grantOf, readIdToken } from "./grant-of.ts";

const folder = mkdtempSync(join(tmpdir(), "lethe-grant-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, "id-token");
const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-384" });
const key = privateKey.export({ format: "pem", type: "pkcs8" }).toString();

it("a file gives the id token that it contains at the moment", async () => {
  await expect(readIdToken(file)).rejects.toThrow(`the id token cannot be read from ${file}: ENOENT; write it there`);
  writeFileSync(file, "\n");
  await expect(readIdToken(file)).rejects.toThrow("must contain an id token, got an empty file");
  for (const token of ["first", "second"]) {
    writeFileSync(file, `${token}\n`);
    expect(await readIdToken(file)).toBe(token);
  }
});

it("a key signs by the algorithm of its kind, or by the configured one", () => {
  const client = { clientId: "lethe", issuer: "https://as.example" };
  expect(grantOf({ ...client, privateKey: { key } }).client).toEqual({
    ...client,
    privateKey: { key, algorithm: "ES384" },
  });
  const keyFile = join(folder, "own.pem");
  writeFileSync(keyFile, key);
  const settings = { ...client, privateKey: { file: keyFile, algorithm: "ES512", keyId: "one" } };
  expect(grantOf(settings).client?.privateKey).toEqual({ key, algorithm: "ES512", keyId: "one" });
});

it("enterprise-managed authorization trusts the identity provider and the issuer of the settings", () => {
  const grant = grantOf({
    ...{ clientId: "lethe", clientSecret: "secret", issuer: "https://as.example" },
    identityProvider: { issuer: "https://idp.example", clientId: "lethe-at-idp", clientSecret: "secret" },
    idTokenFile: file,
  });
  expect(grant.trustedUrls).toEqual(expect.arrayContaining(["https://as.example", "https://idp.example"]));
  expect(grant.isInteractive).toBe(false);
});
