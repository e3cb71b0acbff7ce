// The authorizer of one server and one account (G.2 to G.4): decides how to react to 401 and 403, and when to give up.

import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { createAuthFetch, createNameGuardedFetch, type Fetch } from "./auth-fetch.ts";
import { type AuthStore, createAuthKeys, createMemoryAuthStore } from "./auth-store.ts";
import { AuthorizationError, isAuthorizationError } from "./authorization-error.ts";
import type { Authorizer, OutgoingRequest, Refusal } from "./authorizer.ts";
import { type AuthChallenge, readAuthChallenge } from "./challenge.ts";
import { createClients } from "./clients.ts";
import type { Grant } from "./grant.ts";
import { createRefusedOperations } from "./refused-operations.ts";
import { Renewal, type Renewed } from "./renewal.ts";
import { nameOf } from "./resource-metadata.ts";
import { covers } from "./scopes.ts";
import { parseSecureUrl } from "./secure-url.ts";
import { createTokenHolder, noHeaders, toAuthorization } from "./token-holder.ts";

/** How an authorizer gets and keeps its tokens. */
export interface AuthorizerOptions {
  /** How to get tokens: `authorizationCode(…)`, `clientCredentials(…)`, `enterpriseManaged(…)` or `workloadIdentity(…)`. */
  grant: Grant;
  /** Where tokens are kept. Default: in memory, for this authorizer only. */
  store?: AuthStore | undefined;
  /** Where the issuer of a configured client without `issuer` is recorded on first use. Default `store`. */
  issuerStore?: AuthStore | undefined;
  /** The user these tokens belong to, if several users share the store. */
  account?: string | undefined;
  /** Scopes to request in addition to those of a challenge, and instead of all scopes that the server lists. */
  scopes?: readonly string[] | undefined;
  /** Binds tokens to a key: true always, false never, undefined if the server requires it. */
  dpop?: boolean | undefined;
  /** Chooses among several authorization servers; undefined rejects all. Default: one that knows this client, else the first. */
  selectIssuer?: ((issuers: readonly string[]) => string | undefined | Promise<string | undefined>) | undefined;
  /** Whether a server without metadata acts as its own authorization server, as in revision 2025-03-26. Default true. */
  allowsLegacyServers?: boolean | undefined;
  /**
   * Sends authorization requests. Default: the global fetch, but a public server cannot name a local address.
   * `createAuthorizer` of `@lethe/client/node` also checks resolved addresses, see `createGuardedFetch`.
   */
  fetch?: Fetch | undefined;
  /** Time limit of each request to an authorization server, in ms. Default 30 000. */
  timeoutMs?: number | undefined;
  /** Receives warnings. Default `console.warn`. */
  onWarning?: ((message: string) => void) | undefined;
}

export const knownAuthorizerOptions: KnownOptions<AuthorizerOptions> = {
  grant: "an object",
  store: true,
  issuerStore: true,
  account: true,
  scopes: true,
  dpop: true,
  selectIssuer: true,
  allowsLegacyServers: true,
  fetch: true,
  timeoutMs: true,
  onWarning: true,
};

// Authorizations that one request may start (G-45).
const maxAuthorizations = 3;
/** A request fails after this many responses with 401 or 403. */
const maxRefusals = 10;

/** The attempts for one request. */
interface Attempts {
  refusals: number;
  authorizations: number;
  renewed?: Renewed;
  nonce?: string;
}

/**
 * Creates an authorizer for one server and one account. Connections to the same server may share it, and then share its tokens and
 * authorizations. It requests a token after the first response with 401, and renews it when it expires. Its requests fail with
 * AuthorizationError. Throws AuthorizationError "insecure_url" if `server` is neither https nor loopback http.
 *
 * @example
 * import { clientCredentials, createAuthorizer } from "@lethe/client/auth";
 *
 * const client = { clientId: "nightly-job", clientSecret: "secret", issuer: "https://auth.example.com" };
 * const url = new URL("https://mcp.example.com/mcp");
 * const authorizer = createAuthorizer(url, { grant: clientCredentials({ client }), timeoutMs: 10_000 });
 *
 * // Pass it to a client: `connect(url, { authorizer })`. The first request is sent without a token.
 * console.log(await authorizer.authorize({ url, method: "POST" })); // {}
 */
export function createAuthorizer(server: string | URL, options: AuthorizerOptions): Authorizer {
  checkOptions("createAuthorizer", options, knownAuthorizerOptions);
  const url = parseSecureUrl(String(server), "a server that needs authorization");
  const name = nameOf(url);
  const { store = createMemoryAuthStore(), account = "" } = options;
  const onWarning = options.onWarning ?? ((message) => console.warn(message));
  const { fetch = createNameGuardedFetch(url, options.grant.trustedUrls) } = options;
  const keys = createAuthKeys(account);
  const renewal = new Renewal({
    url,
    grant: options.grant,
    fetch: createAuthFetch({ ...options, fetch }),
    store,
    keys,
    clients: createClients({ store, issuerStore: options.issuerStore ?? store, keys, onWarning }),
    scopes: options.scopes,
    dpop: options.dpop,
    selectIssuer: options.selectIssuer,
    allowsLegacyServers: options.allowsLegacyServers ?? true,
    onWarning,
  });
  const holder = createTokenHolder(renewal);
  const attemptsOf = new WeakMap<OutgoingRequest, Attempts>();
  const refusedOperations = createRefusedOperations();

  function count(request: OutgoingRequest): Attempts {
    const attempts = attemptsOf.get(request) ?? { refusals: 0, authorizations: 0 };
    attemptsOf.set(request, attempts);
    attempts.refusals += 1;
    return attempts;
  }

  /** True if the server only requires its nonce (RFC 9449 section 9) and has not received it yet. */
  function wantsNonce(refusal: Refusal, { error }: AuthChallenge, attempts: Attempts): boolean {
    const nonce = error === "use_dpop_nonce" ? holder.takeNonce(refusal.headers) : undefined;
    if (nonce === undefined || nonce === attempts.nonce) return false;
    attempts.nonce = nonce;
    return true;
  }

  async function onForbidden(
    refusal: Refusal,
    challenge: AuthChallenge,
    attempts: Attempts,
  ): Promise<"retry" | "report"> {
    // Without scopes in the challenge there is nothing more to request: access is denied.
    if (challenge.error !== "insufficient_scope" || !challenge.scopes) return "report";
    const { operation } = refusal;
    refusedOperations.require(operation);
    try {
      await authorizeAnew(refusal, challenge, attempts);
    } catch (error) {
      if (isFinal(error)) refusedOperations.remember(operation, error);
      throw error;
    }
    return "retry";
  }

  async function authorizeAnew(refusal: Refusal, challenge: AuthChallenge, attempts: Attempts): Promise<void> {
    const { request, status } = refusal;
    requireProgress(name, refusal, challenge, attempts);
    attempts.authorizations += 1;
    const mayRefresh = status === 401 && attempts.renewed === undefined;
    attempts.renewed = await holder.renew(
      (held, signal) => renewal.renew({ challenge, held, mayRefresh, signal }),
      request,
    );
  }

  return {
    authorize(request) {
      // The token is for this server, even if the connection is redirected.
      return request.url.origin === url.origin ? holder.headersFor(request) : noHeaders;
    },

    async onUnauthorized(refusal) {
      const { request, status, headers, sent } = refusal;
      if (request.url.origin !== url.origin) return "report";
      const attempts = count(request);
      if (attempts.refusals > maxRefusals) return "report";
      const challenge = readAuthChallenge(headers("www-authenticate"));
      if (wantsNonce(refusal, challenge, attempts) || holder.hasNewer(sent)) return "retry";
      if (status === 403) return onForbidden(refusal, challenge, attempts);
      await authorizeAnew(refusal, challenge, attempts);
      return "retry";
    },

    onAnswer: (headers) => void holder.takeNonce(headers),
  };
}

/** Asking the same user for the same scopes again would only annoy. */
function isFinal(error: unknown): error is AuthorizationError {
  return isAuthorizationError(error) && (error.code === "insufficient_scope" || error.code === "access_denied");
}

// G-45, G-48: if a server rejects a token issued for this request, it would also reject the next one.
function requireProgress(
  name: string,
  { sent, status, operation }: Refusal,
  { scopes = [] }: AuthChallenge,
  { authorizations, renewed }: Attempts,
): void {
  if (authorizations >= maxAuthorizations) {
    const message = `${name} still refuses ${operation} after ${authorizations} authorizations; ask its operator for access`;
    throw new AuthorizationError("insufficient_scope", message, { status });
  }
  if (renewed?.by !== "grant" || toAuthorization(renewed.held) !== sent.authorization) return;
  const { issuer, grantedScopes } = renewed.held.tokens;
  if (scopes.length > 0 && !covers(grantedScopes, scopes)) return;
  if (status === 403) {
    const message = `${name} refuses ${operation} for want of the scopes ${scopes.join(" ")}, which were granted; ask its operator for access`;
    throw new AuthorizationError("insufficient_scope", message, { issuer, status });
  }
  const message = `${name} refuses the token that ${issuer} has just issued for it; the two disagree, tell its operator`;
  throw new AuthorizationError("token_rejected", message, { issuer, status });
}
