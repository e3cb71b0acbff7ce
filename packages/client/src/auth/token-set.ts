// The tokens of one issuer for one resource, as they are stored.
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import type { JWK, TokenEndpointResponse } from "oauth4webapi";
import { parseScopes } from "./challenge.ts";
import type { Registration } from "./registration.ts";
import type { Scopes } from "./scopes.ts";
import { toStringArray } from "./string-array.ts";

export interface TokenSet {
  readonly issuer: string;
  readonly resource: string;
  /** Only the client that received them may refresh them. */
  readonly clientId: string;
  /** That client, if it was registered on demand. */
  readonly registration?: Registration;
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Unix time in ms, slightly before the real expiry so that the token is still valid on arrival. */
  readonly goodUntil?: number;
  // The scopes of all authorization requests so far (G-45).
  readonly requestedScopes: Scopes;
  readonly grantedScopes: Scopes;
  /** The private key that the tokens are bound to. Undefined for plain bearer tokens. */
  readonly dpopKey?: JWK;
}

/** What the token response leaves out. */
export type TokenContext = Pick<
  TokenSet,
  "issuer" | "resource" | "clientId" | "registration" | "requestedScopes" | "dpopKey"
>;

/** Absent scopes equal the requested ones (RFC 6749 section 5.1). */
export function toTokenSet(response: TokenEndpointResponse, context: TokenContext): TokenSet {
  const { dpopKey, ...others } = context;
  const { access_token, refresh_token, expires_in = 0, scope, token_type } = response;
  return {
    ...others,
    accessToken: access_token,
    grantedScopes: parseScopes(scope) ?? context.requestedScopes,
    ...(refresh_token === undefined ? {} : { refreshToken: refresh_token }),
    // Some servers send 0 for a token that does not expire.
    ...(expires_in > 0 ? { goodUntil: Date.now() + expires_in * 1000 - marginMs(expires_in) } : {}),
    ...(dpopKey && token_type === "dpop" ? { dpopKey } : {}),
  };
}

function marginMs(lifetimeSeconds: number): number {
  return Math.min(10_000, lifetimeSeconds * 100);
}

/** Parses stored tokens. Undefined if another version wrote them in a form that this one cannot use. */
export function parseTokenSet(value: JsonObject | undefined): TokenSet | undefined {
  if (!value) return undefined;
  const { issuer, resource, clientId, accessToken, refreshToken, goodUntil, registration, dpopKey } = value;
  const required = [issuer, resource, clientId, accessToken];
  if (required.some((member) => typeof member !== "string")) return undefined;
  if (refreshToken !== undefined && typeof refreshToken !== "string") return undefined;
  if (goodUntil !== undefined && typeof goodUntil !== "number") return undefined;
  if (registration !== undefined && !isJsonObject(registration)) return undefined;
  if (dpopKey !== undefined && !isJsonObject(dpopKey)) return undefined;
  const requestedScopes = toStringArray(value.requestedScopes) ?? [];
  const grantedScopes = toStringArray(value.grantedScopes) ?? [];
  return { ...(value as unknown as TokenSet), requestedScopes, grantedScopes };
}

/** False once the access token has expired or is about to. */
export function isGood({ goodUntil }: TokenSet): boolean {
  return goodUntil === undefined || Date.now() < goodUntil;
}
