// Which private keys a client may have, and what must stay out of logs.
import { generateKeyPairSync } from "node:crypto";
import { expect, it } from "vitest";
import { parsePrivateKey, secretsInKey } from "./private-key.ts";

const ec = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
const pem = ec.export({ format: "pem", type: "pkcs8" }).toString();
const jwk = ec.export({ format: "jwk" });

it.each([
  ["PKCS #8", pem],
  ["SEC 1", ec.export({ format: "pem", type: "sec1" }).toString()],
  ["a variable of one line", pem.replaceAll("\n", "\\n")],
  ["a JWK", JSON.stringify(jwk)],
])("reads the key as %s", (_, text) => {
  expect(parsePrivateKey(text)).toEqual({ key: pem, algorithm: "ES256" });
});

it.each([
  ["RS256", generateKeyPairSync("rsa", { modulusLength: 2048 })],
  ["ES384", generateKeyPairSync("ec", { namedCurve: "P-384" })],
  ["EdDSA", generateKeyPairSync("ed25519")],
])("chooses the algorithm %s by the kind of the key", (algorithm, { privateKey }) => {
  expect(parsePrivateKey(privateKey.export({ format: "pem", type: "pkcs8" }).toString()).algorithm).toBe(algorithm);
});

it("refuses other texts and other kinds of keys without repeating them", () => {
  const other = generateKeyPairSync("x25519").privateKey.export({ format: "pem", type: "pkcs8" }).toString();
  const locked = ec.export({ format: "pem", type: "pkcs8", cipher: "aes-256-cbc", passphrase: "p" }).toString();
  for (const text of ["no key", "{ no JSON", "{}", other, locked]) {
    expect(() => parsePrivateKey(text)).toThrow(
      /^must be a private RSA, EC or Ed25519 key without a passphrase: PEM or JWK$/,
    );
  }
});

it("names the lines of PEM and the private members of a JWK as secrets", () => {
  expect(secretsInKey(pem)).toContain(pem.split("\n")[1]);
  expect(secretsInKey(JSON.stringify(jwk))).toContain(jwk.d);
});
