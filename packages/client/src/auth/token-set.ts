// The tokens of one issuer for one resource, as they are kept.
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import type { JWK, TokenEndpointResponse } from "oauth4webapi";
import { parseScopes } from "./challenge.ts";
import type { Registration } from "./registration.ts";
import type { Scopes } from "./scopes.ts";
import { toStringArray } from "./string-array.ts";

export interface TokenSet {
  readonly issuer: string;
  readonly resource: string;
  /** Only the client that they were issued to may refresh them. */
  readonly clientId: string;
  /** That client, when it was registered for us. */
  readonly registration?: Registration;
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Unix time in milliseconds: a little before it expires, so that it is still good on arrival. */
  readonly goodUntil?: number;
  /** What was asked for, in all authorizations together (G-45). */
  readonly requestedScopes: Scopes;
  readonly grantedScopes: Scopes;
  /** The private key that the tokens are bound to; they are plain bearer tokens without it. */
  readonly dpopKey?: JWK;
}

/** What the token endpoint does not say. */
export type TokenContext = Pick<
  TokenSet,
  "issuer" | "resource" | "clientId" | "registration" | "requestedScopes" | "dpopKey"
>;

/** Absent scopes are the requested ones (RFC 6749 section 5.1). */
export function toTokenSet(response: TokenEndpointResponse, context: TokenContext): TokenSet {
  const { dpopKey, ...others } = context;
  const { access_token, refresh_token, expires_in = 0, scope, token_type } = response;
  return {
    ...others,
    accessToken: access_token,
    grantedScopes: parseScopes(scope) ?? context.requestedScopes,
    ...(refresh_token === undefined ? {} : { refreshToken: refresh_token }),
    // Some say 0 when they mean that it does not expire; a token that was never good would help nobody.
    ...(expires_in > 0 ? { goodUntil: Date.now() + expires_in * 1000 - marginMs(expires_in) } : {}),
    ...(dpopKey && token_type === "dpop" ? { dpopKey } : {}),
  };
}

function marginMs(lifetimeSeconds: number): number {
  return Math.min(10_000, lifetimeSeconds * 100);
}

/** From a store, where another version may have written it: undefined when it is of no use. */
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
