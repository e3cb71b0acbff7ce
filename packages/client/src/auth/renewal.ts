// Gets a token if none works: refreshes the old one or requests a new one, and stores the result (G-41, G-45, G-46).
import type { TokenEndpointResponse } from "oauth4webapi";
import type { AuthFetch } from "./auth-fetch.ts";
import type { AuthKeys, AuthStore } from "./auth-store.ts";
import { AuthorizationError, isAuthorizationError } from "./authorization-error.ts";
import type { AuthChallenge } from "./challenge.ts";
import type { Clients } from "./clients.ts";
import { type DpopKey, generateDpopKey, importDpopKey, isSameKey } from "./dpop.ts";
import type { Grant, GrantRequest } from "./grant.ts";
import type { OAuthClient } from "./oauth-client.ts";
import { isRegistration } from "./registration.ts";
import { type Scopes, unionScopes, withOfflineAccess } from "./scopes.ts";
import { type AuthorizationServer, discoverLegacyServer, discoverServer } from "./server-metadata.ts";
import { StoredTokens } from "./stored-tokens.ts";
import { findTarget, type PinnedIssuer, type Target, type TargetOptions } from "./target.ts";
import { requestTokens } from "./token-endpoint.ts";
import { isGood, type TokenSet, toTokenSet } from "./token-set.ts";

/** A token in use. */
export interface HeldToken {
  readonly tokens: TokenSet;
  readonly dpop: DpopKey | undefined;
  /** Where the token came from. Undefined after a restart. */
  readonly server?: AuthorizationServer;
}

export interface Demand {
  readonly challenge: AuthChallenge;
  /** The last token, working or not. */
  readonly held: HeldToken | undefined;
  /** False if a refresh cannot help: more scopes are needed, or the server rejected a refreshed token. */
  readonly mayRefresh: boolean;
  readonly signal: AbortSignal;
}

export interface Renewed {
  readonly held: HeldToken;
  readonly by: "refresh" | "grant";
}

export interface RenewalOptions extends Omit<TargetOptions, "signal" | "selectIssuer" | "pin"> {
  readonly url: URL;
  readonly grant: Grant;
  readonly fetch: AuthFetch;
  readonly store: AuthStore;
  readonly keys: AuthKeys;
  readonly clients: Clients;
  /** Scopes of the first request, instead of those that the server names. */
  readonly scopes: Scopes | undefined;
  readonly selectIssuer: TargetOptions["selectIssuer"] | undefined;
}

export class Renewal {
  readonly #options: RenewalOptions;
  readonly #stored: StoredTokens;

  constructor(options: RenewalOptions) {
    this.#options = options;
    this.#stored = new StoredTokens(options.url, options.store, options.keys);
  }

  /** Loads the tokens that an earlier process stored. */
  async restore(): Promise<HeldToken | undefined> {
    const tokens = await this.#stored.loadLast();
    return tokens && { tokens, dpop: tokens.dpopKey && (await importDpopKey(tokens.dpopKey)) };
  }

  /** Undefined if the refresh token no longer works. */
  async refresh(held: HeldToken, signal: AbortSignal): Promise<HeldToken | undefined> {
    const pin = await this.#findPin();
    // The client was moved to another issuer since.
    if (pin && pin.issuer !== held.tokens.issuer) return undefined;
    return this.#refreshAt(held.server ?? (await this.#rediscover(held.tokens.issuer, signal)), held, signal);
  }

  /** Requests new tokens. Throws AuthorizationError. */
  async renew(demand: Demand): Promise<Renewed> {
    const { challenge, held, signal } = demand;
    const { url } = this.#options;
    const pin = await this.#findPin();
    const selectIssuer = this.#options.selectIssuer ?? ((issuers) => preferredIssuer(issuers, pin, held));
    const target = await findTarget(url, challenge, { ...this.#options, signal, selectIssuer, pin });
    const isSame = held?.tokens.issuer === target.server.issuer && held.tokens.resource === target.resource;
    const isBoundAsWanted = (held?.dpop !== undefined) === (target.dpopAlgorithm !== undefined);
    if (demand.mayRefresh && held && isSame && isBoundAsWanted) {
      const refreshed = await this.#refreshAt(target.server, held, signal);
      if (refreshed) return { held: refreshed, by: "refresh" };
    }
    return { held: await this.#requestNew(target, demand), by: "grant" };
  }

  /** Refreshes `server`'s current tokens. Must not send a refresh token that another process has used meanwhile. */
  #refreshAt(
    server: AuthorizationServer,
    { tokens, dpop }: HeldToken,
    signal: AbortSignal,
  ): Promise<HeldToken | undefined> {
    const { grant, fetch, clients } = this.#options;
    return this.#stored.exclusively(tokens, async () => {
      const stored = await this.#stored.load(tokens.issuer, tokens.resource);
      if (stored && stored.accessToken !== tokens.accessToken && isGood(stored)) return toHeld(server, stored, dpop);
      const { refreshToken, resource, clientId, registration, requestedScopes } = stored ?? tokens;
      if (refreshToken === undefined) return undefined;
      const request: GrantRequest = { server, fetch, signal, dpop, resource, scopes: undefined, clients };
      const client = registration ?? (await grant.identify(request));
      if (client.clientId !== clientId) return undefined;
      const parameters = { grantType: "refresh_token", refresh_token: refreshToken, resource };
      const answer = await requestTokens(request, client, parameters).catch((thrown) =>
        this.#onRefusal(thrown, server),
      );
      if (!answer) return undefined;
      const renewed = toTokenSet({ refresh_token: refreshToken, ...answer }, { ...tokens, requestedScopes });
      await this.#stored.save(renewed);
      return toHeld(server, renewed, dpop);
    });
  }

  /** A refresh token expires eventually. That is not an error: request new tokens. */
  async #onRefusal(thrown: unknown, { issuer }: AuthorizationServer): Promise<undefined> {
    if (!isAuthorizationError(thrown) || thrown.code !== "token_refused") throw thrown;
    if (isUnknownClient(thrown)) await this.#options.clients.forget(issuer);
  }

  async #requestNew(target: Target, { challenge, held, signal }: Demand): Promise<HeldToken> {
    const { server, resource, dpopAlgorithm } = target;
    const { grant, fetch, clients, scopes: given } = this.#options;
    const earlier = held?.tokens ?? (await this.#stored.load(server.issuer, resource));
    const first = earlier ? undefined : (given ?? target.scopes);
    const wanted = unionScopes(earlier?.requestedScopes, given, challenge.scopes ?? first);
    const scopes = grant.isInteractive ? withOfflineAccess(wanted, server) : wanted;
    const dpop = dpopAlgorithm === undefined ? undefined : (held?.dpop ?? (await generateDpopKey(dpopAlgorithm)));
    const { client, answer } = await this.#obtain({ server, fetch, signal, dpop, resource, scopes, clients });
    const tokens = toTokenSet(answer, {
      issuer: server.issuer,
      resource,
      clientId: client.clientId,
      requestedScopes: scopes ?? [],
      ...(isRegistration(client) ? { registration: client } : {}),
      ...(dpop ? { dpopKey: dpop.jwk } : {}),
    });
    if (this.#options.dpop === true && !tokens.dpopKey) throw unbound(server);
    await this.#stored.save(tokens);
    return toHeld(server, tokens, dpop);
  }

  /** An authorization server may have dropped a client that it registered. Then the client registers once more. */
  async #obtain(request: GrantRequest): Promise<{ client: OAuthClient; answer: TokenEndpointResponse }> {
    const { grant, clients } = this.#options;
    const client = await grant.identify(request);
    try {
      return { client, answer: await grant.obtain(request, client) };
    } catch (thrown) {
      if (!isUnknownClient(thrown) || !isRegistration(client)) throw thrown;
      await clients.forget(request.server.issuer);
      const again = await grant.identify(request);
      return { client: again, answer: await grant.obtain(request, again) };
    }
  }

  async #findPin(): Promise<PinnedIssuer | undefined> {
    const { grant, clients } = this.#options;
    return grant.client && clients.pinOf(grant.client);
  }

  /** A server of 2025-03-26 that is its own issuer may have no metadata. */
  #rediscover(issuer: string, signal: AbortSignal): Promise<AuthorizationServer> {
    const { url, fetch } = this.#options;
    const isOwn = issuer === url.origin || issuer === `${url.origin}/`;
    return isOwn ? discoverLegacyServer(url, { fetch, signal }) : discoverServer(issuer, { fetch, signal });
  }
}

async function toHeld(server: AuthorizationServer, tokens: TokenSet, known: DpopKey | undefined): Promise<HeldToken> {
  const { dpopKey } = tokens;
  if (dpopKey === undefined) return { server, tokens, dpop: undefined };
  // The existing key remembers the nonces.
  return { server, tokens, dpop: isSameKey(known?.jwk, dpopKey) ? known : await importDpopKey(dpopKey) };
}

/** The issuer that already knows this client, if the server still names it. */
function preferredIssuer(
  issuers: readonly string[],
  pin: PinnedIssuer | undefined,
  held: HeldToken | undefined,
): string | undefined {
  const known = [pin?.issuer, held?.tokens.issuer].find((issuer) => issuer !== undefined && issuers.includes(issuer));
  return known ?? issuers[0];
}

function unbound({ issuer }: AuthorizationServer): AuthorizationError {
  const message = `the authorization server ${issuer} gave a token that anybody could use, although DPoP was asked for; it does not support it`;
  return new AuthorizationError("unsupported", message, { issuer });
}

function isUnknownClient(thrown: unknown): boolean {
  return isAuthorizationError(thrown) && thrown.oauthError === "invalid_client";
}
