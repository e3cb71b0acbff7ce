// Tokens bound to a key (DPoP, RFC 9449): the key, and a proof for each request.
import type { CryptoKeyPair, DPoPHandle, JWK } from "oauth4webapi";

export interface DpopKey {
  /** For the token endpoint. Remembers its nonces. */
  readonly handle: DPoPHandle;
  /** The key for the store, including its private part. */
  readonly jwk: JWK;
  /** Remembers the nonce that the resource server requires in the next proof. */
  rememberNonce(nonce: string): void;
  readonly nonce: string | undefined;
  /** A fresh proof, bound to the request and to the token. */
  prove(request: DpopRequest): Promise<string>;
}

export interface DpopRequest {
  readonly url: URL;
  readonly method: string;
  readonly accessToken: string;
}

/** Supported signature algorithms, most common first. */
const algorithms = ["ES256", "Ed25519", "ES384", "PS256", "RS256"];

/** Undefined if the authorization server accepts none of our algorithms. `supported` undefined means ES256. */
export function selectDpopAlgorithm(supported: readonly string[] | undefined): string | undefined {
  return supported === undefined ? algorithms[0] : algorithms.find((name) => supported.includes(name));
}

export function isSameKey(one: JWK | undefined, other: JWK): boolean {
  return one !== undefined && one.x === other.x && one.n === other.n;
}

export async function generateDpopKey(algorithm: string): Promise<DpopKey> {
  const [{ generateKeyPair }, { exportJWK }] = await Promise.all([import("oauth4webapi"), import("jose")]);
  const pair = await generateKeyPair(algorithm, { extractable: true });
  return createDpopKey(pair, { ...(await exportJWK(pair.privateKey)), alg: algorithm });
}

export async function importDpopKey(jwk: JWK): Promise<DpopKey> {
  const { importJWK } = await import("jose");
  const { d: _, p: __, q: ___, dp: ____, dq: _____, qi: ______, ...publicJwk } = jwk;
  const [privateKey, publicKey] = await Promise.all([
    importJWK(jwk),
    importJWK(publicJwk, undefined, { extractable: true }),
  ]);
  return createDpopKey({ privateKey, publicKey } as CryptoKeyPair, jwk);
}

async function createDpopKey(pair: CryptoKeyPair, jwk: JWK): Promise<DpopKey> {
  const [{ DPoP }, { exportJWK, SignJWT }] = await Promise.all([import("oauth4webapi"), import("jose")]);
  const header = { typ: "dpop+jwt", alg: String(jwk.alg), jwk: await exportJWK(pair.publicKey) };
  let nonce: string | undefined;
  return {
    handle: DPoP({}, pair),
    jwk,
    get nonce() {
      return nonce;
    },
    rememberNonce(value) {
      nonce = value;
    },
    async prove({ url, method, accessToken }) {
      const claims = { htm: method, htu: url.origin + url.pathname, ath: await hashOf(accessToken), nonce };
      const proof = new SignJWT(claims).setProtectedHeader(header).setJti(crypto.randomUUID()).setIssuedAt();
      return proof.sign(pair.privateKey);
    },
  };
}

async function hashOf(accessToken: string): Promise<string> {
  const { base64url } = await import("jose");
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(accessToken));
  return base64url.encode(new Uint8Array(digest));
}
