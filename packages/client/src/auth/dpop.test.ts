import { createHash } from "node:crypto";
import { calculateJwkThumbprint, decodeProtectedHeader, importJWK, type JWK, jwtVerify } from "jose";
import { expect, test } from "vitest";
import { type DpopKey, generateDpopKey, importDpopKey, selectDpopAlgorithm } from "./dpop.ts";

const request = { url: new URL("https://s.example/mcp?q=1#f"), method: "POST", accessToken: "token" };

async function read(proof: string) {
  const { jwk, alg } = decodeProtectedHeader(proof) as { jwk: JWK; alg: string };
  return { ...(await jwtVerify(proof, await importJWK(jwk, alg))), jwk };
}

test.each(["ES256", "Ed25519", "ES384", "PS256", "RS256"])(
  "a proof by %s binds the request and the token (RFC 9449)",
  async (algorithm) => {
    const key = await generateDpopKey(algorithm);
    const { payload, protectedHeader, jwk } = await read(await key.prove(request));
    expect(protectedHeader).toMatchObject({ typ: "dpop+jwt", alg: algorithm });
    expect(payload).toEqual({
      htm: "POST",
      htu: "https://s.example/mcp",
      ath: createHash("sha256").update("token").digest("base64url"),
      jti: expect.any(String),
      iat: expect.closeTo(Date.now() / 1000, -1),
    });
    expect(["d", "p", "q", "dp", "dq", "qi"].filter((member) => member in jwk)).toEqual([]);
  },
);

test("each proof is unique and contains the last nonce", async () => {
  const key = await generateDpopKey("ES256");
  key.rememberNonce("n1");
  const [one, two] = [await read(await key.prove(request)), await read(await key.prove(request))];
  expect(one.payload.nonce).toBe("n1");
  expect(one.payload.jti).not.toBe(two.payload.jti);
});

test("a stored key is restored as the same key", async () => {
  for (const algorithm of ["ES256", "RS256"]) {
    const key = await generateDpopKey(algorithm);
    const kept = await importDpopKey(JSON.parse(JSON.stringify(key.jwk)));
    expect(await thumbprint(kept)).toBe(await thumbprint(key));
    expect(await kept.handle.calculateThumbprint()).toBe(await thumbprint(key));
  }
});

test("the selected algorithm is one that the authorization server accepts", () => {
  expect(selectDpopAlgorithm(undefined)).toBe("ES256");
  expect(selectDpopAlgorithm(["RS256", "EdDSA", "ES384"])).toBe("ES384");
  expect(selectDpopAlgorithm(["none", "HS256"])).toBeUndefined();
});

async function thumbprint(key: DpopKey): Promise<string> {
  return calculateJwkThumbprint((await read(await key.prove(request))).jwk);
}
