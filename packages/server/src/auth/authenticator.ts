// Authenticates each request by its bearer token (G.1). Nothing is remembered
// between requests, so no session or cache can let one caller act as another (A-10, G-52).

import { type Caller, checkOptions, type KnownOptions } from "@lethe/protocol";
import { AuthenticationError, isAuthenticationError } from "./authentication-error.ts";
import { parseBearer } from "./bearer.ts";
import { type Challenge, toWwwAuthenticate } from "./challenge.ts";
import {
  createJwtVerifier,
  type JwtOptions,
  KeysUnavailable,
  knownJwtOptions,
  type TokenVerifier,
} from "./jwt-verifier.ts";
import {
  metadataPathsOf,
  metadataUrlOf,
  type ProtectedResourceMetadata,
  toResourceMetadata,
} from "./resource-metadata.ts";
import { type ScopeHierarchy, withContained } from "./scopes.ts";
import type { Sender } from "./sender.ts";

/** Authenticates HTTP requests. Created by `createAuthenticator` or `createKeyAuthenticator`. */
export interface Authenticator {
  /**
   * Authenticates the Authorization header. Rejects with AuthenticationError. Call it before parsing the body. `sender`
   * has no influence; it is passed to `onRefused`.
   */
  authenticate(authorization: string | undefined, sender?: Sender): Promise<Caller>;
  /** The WWW-Authenticate header for a later error, such as a missing scope. */
  challenge(challenge: Challenge): string;
  /** The document to serve at `metadataPaths`; undefined without an authorization server. */
  readonly metadata: ProtectedResourceMetadata | undefined;
  readonly metadataPaths: readonly string[];
}

/** Options of `createAuthenticator`. Exactly one of `jwt` and `verify` checks the tokens. */
export interface AuthenticatorOptions {
  /** The canonical URL of this server's endpoint; tokens must be issued for it. */
  resource: string;
  /** The issuer URLs of the authorization servers whose tokens are accepted. At least one. */
  authorizationServers: readonly string[];
  /** The minimal useful scopes; clients request them when a challenge names none. */
  scopesSupported?: readonly string[];
  /** The scopes that every request needs, in addition to those of its tool. Default: none. */
  requiredScopes?: readonly string[];
  /** Scopes that contain other scopes. Default: none does. */
  scopeHierarchy?: ScopeHierarchy;
  /** Verifies tokens as JWTs. */
  jwt?: JwtOptions;
  /** Verifies tokens in another way, such as introspection. Undefined or a rejection means invalid. Check the audience. */
  verify?: TokenVerifier;
  /** Called with the reason of a rejected token, which the caller never sees. */
  onRefused?: (reason: unknown, sender?: Sender) => void;
}

const knownAuthenticatorOptions: KnownOptions<AuthenticatorOptions> = {
  resource: "a string",
  authorizationServers: "an array",
  scopesSupported: true,
  requiredScopes: true,
  scopeHierarchy: true,
  jwt: knownJwtOptions,
  verify: true,
  onRefused: true,
};

const invalidToken: Challenge = {
  error: "invalid_token",
  description: "the access token is expired, revoked, malformed or not meant for this server",
};
const malformed: Challenge = { error: "invalid_request", description: "the Authorization header is malformed" };

/**
 * Creates an authenticator for OAuth access tokens. Set either `jwt` or `verify`. `authenticate` rejects with AuthenticationError.
 * Throws TypeError with both or neither.
 *
 * @example
 * import { createAuthenticator } from "@lethe/server/auth";
 *
 * const authenticator = createAuthenticator({
 *   resource: "https://example.com/mcp",
 *   authorizationServers: ["https://login.example.com"],
 *   verify: async (token) => (token === "valid" ? { id: "ann", scopes: ["read"] } : undefined),
 * });
 * console.log((await authenticator.authenticate("Bearer valid")).id); // ann
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  checkOptions("createAuthenticator", options, knownAuthenticatorOptions);
  requireUrl("resource", options.resource);
  for (const server of options.authorizationServers) requireUrl("authorizationServers", server);
  const { resource, requiredScopes = [], scopesSupported, scopeHierarchy, onRefused } = options;
  const metadata = toResourceMetadata(options);
  const url = new URL(resource);
  return authenticatorOf({
    verify: verifierOf(options),
    metadata,
    metadataPaths: metadataPathsOf(url),
    metadataUrl: metadataUrlOf(url),
    requiredScopes,
    scopesToAskFor: requiredScopes.length > 0 ? requiredScopes : scopesSupported,
    scopeHierarchy,
    onRefused,
  });
}

function requireUrl(option: string, value: string): void {
  if (URL.canParse(value)) return;
  const place = `createAuthenticator: option "${option}"`;
  throw new TypeError(
    `${place}: an absolute URL expected, such as "https://example.com/mcp", got ${JSON.stringify(value)}`,
  );
}

function verifierOf({ jwt, verify, resource }: AuthenticatorOptions): TokenVerifier {
  if (jwt && !verify) return createJwtVerifier(jwt, resource);
  if (verify && !jwt) return verify;
  throw new TypeError("either jwt or verify expected");
}

export interface AuthenticatorParts {
  verify: TokenVerifier;
  metadata?: ProtectedResourceMetadata | undefined;
  metadataPaths?: readonly string[];
  metadataUrl?: string;
  requiredScopes?: readonly string[];
  /** Named in a 401, so that a client requests the right scopes at once. */
  scopesToAskFor?: readonly string[] | undefined;
  scopeHierarchy?: ScopeHierarchy | undefined;
  onRefused?: ((reason: unknown, sender?: Sender) => void) | undefined;
}

/** The part that all authenticators share: the header, the challenges and the scopes. */
export function authenticatorOf(parts: AuthenticatorParts): Authenticator {
  const { verify, metadata, metadataUrl, requiredScopes = [], scopesToAskFor = [], scopeHierarchy, onRefused } = parts;

  const challenge = (what: Challenge): string => toWwwAuthenticate(what, metadataUrl);

  function refusal(status: 400 | 401 | 403, what: Challenge, cause?: unknown): AuthenticationError {
    const message = what.description ?? "a bearer token is required";
    return new AuthenticationError(status, message, { wwwAuthenticate: challenge(what), cause });
  }

  /** The caller learns only that the token is invalid, or that verification is unavailable. */
  async function verified(token: string, sender: Sender | undefined): Promise<Caller> {
    let reason: unknown = "unknown token";
    try {
      const caller = await verify(token);
      if (caller) return caller;
    } catch (error) {
      reason = error;
    }
    onRefused?.(reason, sender);
    if (isAuthenticationError(reason)) throw reason;
    if (reason instanceof KeysUnavailable) {
      throw new AuthenticationError(503, "authentication is not available right now", { cause: reason });
    }
    throw refusal(401, { ...invalidToken, scopes: scopesToAskFor }, reason);
  }

  return {
    async authenticate(authorization, sender) {
      const bearer = parseBearer(authorization);
      if (bearer === "missing") throw refusal(401, { scopes: scopesToAskFor });
      if (bearer === "malformed") throw refusal(400, malformed);
      const caller = await verified(bearer.token, sender);
      const scopes = scopeHierarchy ? withContained(caller.scopes ?? [], scopeHierarchy) : (caller.scopes ?? []);
      if (!requiredScopes.every((scope) => scopes.includes(scope))) {
        const description = "the access token lacks a scope";
        onRefused?.(`the token of ${caller.id} lacks one of the scopes ${requiredScopes.join(" ")}`, sender);
        throw refusal(403, { error: "insufficient_scope", description, scopes: requiredScopes });
      }
      return scopes === caller.scopes ? caller : { ...caller, scopes };
    },
    challenge,
    metadata,
    metadataPaths: parts.metadataPaths ?? [],
  };
}
