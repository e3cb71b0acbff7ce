// Gets a token if none works: refreshes the old one or requests a new one, and stores the result (G-41, G-45, G-46).
import type { JsonObject } from "@lethe/protocol";
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
import { findTarget, type PinnedIssuer, type Target, type TargetOptions } from "./target.ts";
import { requestTokens } from "./token-endpoint.ts";
import { parseTokenSet, type TokenSet, toTokenSet } from "./token-set.ts";

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

export interface Renewal {
  /** Loads the tokens that an earlier process stored. */
  restore(): Promise<HeldToken | undefined>;
  /** Undefined if the refresh token no longer works. */
  refresh(held: HeldToken, signal: AbortSignal): Promise<HeldToken | undefined>;
  /** Requests new tokens. Throws AuthorizationError. */
  renew(demand: Demand): Promise<Renewed>;
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

export function createRenewal(options: RenewalOptions): Renewal {
  const { url, grant, fetch, store, keys, clients } = options;

  async function load(issuer: string, resource: string): Promise<TokenSet | undefined> {
    return parseTokenSet((await store.load(keys.tokens(issuer, resource))) ?? undefined);
  }

  async function keep(tokens: TokenSet): Promise<void> {
    const { issuer, resource } = tokens;
    await store.save(keys.tokens(issuer, resource), tokens as unknown as JsonObject);
    await store.save(keys.server(url.href), { issuer, resource });
  }

  async function hold(server: AuthorizationServer, tokens: TokenSet, known?: DpopKey): Promise<HeldToken> {
    const { dpopKey } = tokens;
    if (dpopKey === undefined) return { server, tokens, dpop: undefined };
    // The existing key remembers the nonces.
    return { server, tokens, dpop: isSameKey(known?.jwk, dpopKey) ? known : await importDpopKey(dpopKey) };
  }

  function exclusively<T>(tokens: TokenSet, task: () => Promise<T>): Promise<T> {
    const key = keys.tokens(tokens.issuer, tokens.resource);
    return store.exclusively ? store.exclusively(key, task) : task();
  }

  /** Refreshes `server`'s current tokens. Must not send a refresh token that another process has used meanwhile. */
  function refreshWith(
    server: AuthorizationServer,
    { tokens, dpop }: HeldToken,
    signal: AbortSignal,
  ): Promise<HeldToken | undefined> {
    return exclusively(tokens, async () => {
      const stored = await load(tokens.issuer, tokens.resource);
      if (stored && stored.accessToken !== tokens.accessToken && isGood(stored)) return hold(server, stored, dpop);
      const { refreshToken, resource, clientId, registration, requestedScopes } = stored ?? tokens;
      if (refreshToken === undefined) return undefined;
      const request: GrantRequest = { server, fetch, signal, dpop, resource, scopes: undefined, clients };
      const client = registration ?? (await grant.identify(request));
      if (client.clientId !== clientId) return undefined;
      const parameters = { grantType: "refresh_token", refresh_token: refreshToken, resource };
      const answer = await requestTokens(request, client, parameters).catch((thrown) => onRefusal(thrown, server));
      if (!answer) return undefined;
      const renewed = toTokenSet({ refresh_token: refreshToken, ...answer }, { ...tokens, requestedScopes });
      await keep(renewed);
      return hold(server, renewed, dpop);
    });
  }

  /** A refresh token expires eventually. That is not an error: request new tokens. */
  async function onRefusal(thrown: unknown, { issuer }: AuthorizationServer): Promise<undefined> {
    if (!isAuthorizationError(thrown) || thrown.code !== "token_refused") throw thrown;
    if (isUnknownClient(thrown)) await clients.forget(issuer);
  }

  async function ask(target: Target, demand: Demand): Promise<HeldToken> {
    const { server, resource, dpopAlgorithm } = target;
    const { challenge, held, signal } = demand;
    const earlier = held?.tokens ?? (await load(server.issuer, resource));
    const first = earlier ? undefined : (options.scopes ?? target.scopes);
    const wanted = unionScopes(earlier?.requestedScopes, options.scopes, challenge.scopes ?? first);
    const scopes = grant.isInteractive ? withOfflineAccess(wanted, server) : wanted;
    const dpop = dpopAlgorithm === undefined ? undefined : (held?.dpop ?? (await generateDpopKey(dpopAlgorithm)));
    const request: GrantRequest = { server, fetch, signal, dpop, resource, scopes, clients };
    const { client, answer } = await obtain(request);
    const tokens = toTokenSet(answer, {
      issuer: server.issuer,
      resource,
      clientId: client.clientId,
      requestedScopes: scopes ?? [],
      ...(isRegistration(client) ? { registration: client } : {}),
      ...(dpop ? { dpopKey: dpop.jwk } : {}),
    });
    if (options.dpop === true && !tokens.dpopKey) throw unbound(server);
    await keep(tokens);
    return hold(server, tokens, dpop);
  }

  /** An authorization server may have dropped a client that it registered. Then the client registers once more. */
  async function obtain(request: GrantRequest) {
    const { issuer } = request.server;
    const client = await grant.identify(request);
    try {
      return { client, answer: await grant.obtain(request, client) };
    } catch (thrown) {
      if (!isUnknownClient(thrown) || !isRegistration(client)) throw thrown;
      await clients.forget(issuer);
      const again: OAuthClient = await grant.identify(request);
      return { client: again, answer: await grant.obtain(request, again) };
    }
  }

  async function pinOf(): Promise<PinnedIssuer | undefined> {
    return grant.client && clients.pinOf(grant.client);
  }

  /** A server of 2025-03-26 that is its own issuer may have no metadata. */
  function rediscover(issuer: string, signal: AbortSignal): Promise<AuthorizationServer> {
    const isOwn = issuer === url.origin || issuer === `${url.origin}/`;
    return isOwn ? discoverLegacyServer(url, { fetch, signal }) : discoverServer(issuer, { fetch, signal });
  }

  return {
    async restore() {
      const last = await store.load(keys.server(url.href));
      if (typeof last?.issuer !== "string" || typeof last.resource !== "string") return undefined;
      const tokens = await load(last.issuer, last.resource);
      if (!tokens) return undefined;
      return { tokens, dpop: tokens.dpopKey && (await importDpopKey(tokens.dpopKey)) };
    },
    async refresh(held, signal) {
      const pin = await pinOf();
      // The client was moved to another issuer since.
      if (pin && pin.issuer !== held.tokens.issuer) return undefined;
      return refreshWith(held.server ?? (await rediscover(held.tokens.issuer, signal)), held, signal);
    },
    async renew(demand) {
      const { challenge, held, signal } = demand;
      const pin = await pinOf();
      const selectIssuer = options.selectIssuer ?? ((issuers) => preferredIssuer(issuers, pin, held));
      const target = await findTarget(url, challenge, { ...options, signal, selectIssuer, pin });
      const isSame = held?.tokens.issuer === target.server.issuer && held.tokens.resource === target.resource;
      const isBoundAsWanted = (held?.dpop !== undefined) === (target.dpopAlgorithm !== undefined);
      if (demand.mayRefresh && held && isSame && isBoundAsWanted) {
        const refreshed = await refreshWith(target.server, held, signal);
        if (refreshed) return { held: refreshed, by: "refresh" };
      }
      return { held: await ask(target, { ...demand, held }), by: "grant" };
    },
  };
}

export function isGood({ goodUntil }: TokenSet): boolean {
  return goodUntil === undefined || Date.now() < goodUntil;
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
