// Verifies access tokens that are JWTs (G-5): signature, issuer, audience, expiry, against an allow-list of algorithms.
import type { Caller, KnownOptions } from "@lethe/protocol";
import type { JSONWebKeySet, JWTPayload, JWTVerifyGetKey, JWTVerifyOptions } from "jose";
import { requireSafeUrl } from "./resource-metadata.ts";

/** How JSON Web Tokens of an issuer are verified. */
export interface JwtOptions {
  /** The required `iss`, and the first half of the caller's id. */
  issuer: string;
  /** The URL of the issuer's keys. Fetched on first use, cached 10 minutes, refetched for an unknown key at most every 30 s. */
  jwksUrl?: string;
  /** The keys themselves, instead of `jwksUrl`. */
  jwks?: JSONWebKeySet;
  /** One of these must be in `aud`. Default: the resource. A token for another server is never accepted. */
  audience?: string | readonly string[];
  /** Default: the signatures of RFC 7518 and EdDSA. Never "none" nor a shared secret. */
  algorithms?: readonly string[];
  /** The required `typ` in the token's header, such as "at+jwt" (RFC 9068). Default: any but those of other kinds of tokens, such as an ID-JAG. */
  type?: string;
  /** The tolerated clock difference, in seconds. Default 5. */
  clockToleranceS?: number;
  /** Default: id is issuer and subject, scopes are `scope` or `scp`, claims are the token's. */
  toCaller?: (claims: JWTPayload) => Caller;
}

export const knownJwtOptions: KnownOptions<JwtOptions> = {
  issuer: "a string",
  jwksUrl: true,
  jwks: true,
  audience: true,
  algorithms: true,
  type: true,
  clockToleranceS: true,
  toCaller: true,
};

/** Verifies a bearer token. Returns its caller, or undefined for an invalid token. Both that and a rejection answer 401. */
export type TokenVerifier = (token: string) => Promise<Caller | undefined>;

/** The keys could not be fetched, so the token could not be verified. */
export class KeysUnavailable extends Error {}

const asymmetric = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

/** The `typ` of JWTs that are no access tokens. An issuer may sign them with the same key, and for an audience of the same name (RFC 8725). */
const otherKinds: ReadonlySet<string> = new Set([
  ...["oauth-id-jag+jwt", "dpop+jwt", "logout+jwt", "secevent+jwt"],
  ...["client-authentication+jwt", "oauth-authz-req+jwt", "token-introspection+jwt"],
]);

/** The errors of jose for an invalid token. All others concern the keys or their URL. */
const tokenFaults: ReadonlySet<unknown> = new Set([
  "ERR_JOSE_ALG_NOT_ALLOWED",
  "ERR_JOSE_NOT_SUPPORTED",
  "ERR_JWKS_MULTIPLE_MATCHING_KEYS",
  "ERR_JWKS_NO_MATCHING_KEY",
  "ERR_JWS_INVALID",
  "ERR_JWS_SIGNATURE_VERIFICATION_FAILED",
  "ERR_JWT_CLAIM_VALIDATION_FAILED",
  "ERR_JWT_EXPIRED",
  "ERR_JWT_INVALID",
]);

/** The verifier rejects with KeysUnavailable, or with the reason why the token is invalid. */
export function createJwtVerifier(options: JwtOptions, resource: string): TokenVerifier {
  const { issuer, jwksUrl, jwks, toCaller = callerOf, clockToleranceS = 5 } = options;
  if ((jwksUrl === undefined) === (jwks === undefined)) throw new TypeError("either jwksUrl or jwks expected");
  const { algorithms = asymmetric } = options;
  const refused = algorithms.find((algorithm) => algorithm === "none" || algorithm.startsWith("HS"));
  if (refused !== undefined) throw new TypeError(`an asymmetric algorithm expected, got ${refused}`);
  const keysAt = jwksUrl === undefined ? undefined : requireSafeUrl("jwksUrl", jwksUrl);
  const checks: JWTVerifyOptions = {
    issuer,
    audience: [options.audience ?? resource].flat(),
    algorithms: [...algorithms],
    clockTolerance: clockToleranceS,
    requiredClaims: ["exp"],
    ...(options.type === undefined ? {} : { typ: options.type }),
  };
  const load = once(async () => {
    const { createLocalJWKSet, createRemoteJWKSet, jwtVerify } = await import("jose");
    const keyOf: JWTVerifyGetKey = keysAt ? createRemoteJWKSet(keysAt) : createLocalJWKSet(jwks ?? { keys: [] });
    return { jwtVerify, keyOf };
  });

  return async (token) => {
    const { jwtVerify, keyOf } = await load();
    const { payload, protectedHeader } = await jwtVerify(token, reported(keyOf), checks).catch((error: unknown) => {
      throw toReason(error, checks);
    });
    if (isOtherKind(protectedHeader.typ))
      throw new Error(`an access token expected, got a JWT of the type ${protectedHeader.typ}`);
    const caller = toCaller(payload);
    return { expiresAt: ((payload.exp ?? 0) + clockToleranceS) * 1000, ...caller };
  };
}

function isOtherKind(type: string | undefined): boolean {
  return type !== undefined && otherKinds.has(type.toLowerCase().replace(/^application\//, ""));
}

function reported(keyOf: JWTVerifyGetKey): JWTVerifyGetKey {
  return async (header, token) => {
    try {
      return await keyOf(header, token);
    } catch (error) {
      if (error instanceof Error && "code" in error && tokenFaults.has(error.code)) throw error;
      throw new KeysUnavailable("the keys of the issuer are not available", { cause: error });
    }
  };
}

/** For the operator: the audience of a token for another server. */
function toReason(error: unknown, expected: Pick<JWTVerifyOptions, "audience" | "issuer">): unknown {
  const { code, claim, payload } = error as { code?: unknown; claim?: unknown; payload?: JWTPayload };
  if (code !== "ERR_JWT_CLAIM_VALIDATION_FAILED" || (claim !== "aud" && claim !== "iss")) return error;
  const wanted = claim === "aud" ? expected.audience : expected.issuer;
  const got = JSON.stringify(payload?.[claim])?.slice(0, 200) ?? "missing";
  return new Error(`the token's "${claim}" must be ${JSON.stringify(wanted)}, got ${got}`);
}

/** An issuer is a URL without spaces, so different pairs of issuer and subject have different ids. */
function callerOf(claims: JWTPayload): Caller {
  if (!claims.iss || !claims.sub) throw new Error("the token names no subject");
  return { id: `${claims.iss} ${claims.sub}`, scopes: scopesOf(claims), claims };
}

function scopesOf({ scope, scp }: JWTPayload): string[] {
  const granted = scope ?? scp;
  if (Array.isArray(granted)) return granted.filter((item) => typeof item === "string");
  return typeof granted === "string" ? granted.split(" ").filter((item) => item !== "") : [];
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
