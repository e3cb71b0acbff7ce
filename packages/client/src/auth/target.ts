// Finds the authorization server and the resource for a token, from the server's current metadata (G-20 to G-25, G-33).
import { excerptOf } from "../call/transport-error.ts";
import type { AuthFetch } from "./auth-fetch.ts";
import { AuthorizationError } from "./authorization-error.ts";
import type { AuthChallenge } from "./challenge.ts";
import { selectDpopAlgorithm } from "./dpop.ts";
import { canonicalResource, discoverResource, nameOf, type ResourceMetadata } from "./resource-metadata.ts";
import type { Scopes } from "./scopes.ts";
import { type AuthorizationServer, discoverLegacyServer, discoverServer } from "./server-metadata.ts";

export interface Target {
  readonly server: AuthorizationServer;
  // The resource as requests name it (G-41).
  readonly resource: string;
  readonly scopes: Scopes | undefined;
  /** The key for DPoP proofs. Undefined for plain bearer tokens. */
  readonly dpopAlgorithm: string | undefined;
}

/** The only authorization server that a configured client may use. */
export interface PinnedIssuer {
  readonly clientId: string;
  readonly issuer: string;
}

export interface TargetOptions {
  /** Compared before any request to an authorization server. */
  readonly pin: PinnedIssuer | undefined;
  readonly fetch: AuthFetch;
  readonly signal: AbortSignal;
  readonly allowsLegacyServers: boolean;
  /** True always, false never, undefined if the server requires it. */
  readonly dpop: boolean | undefined;
  readonly selectIssuer: (issuers: readonly string[]) => string | undefined | Promise<string | undefined>;
  readonly onWarning: (message: string) => void;
}

/** Read after every 401 or 403: a server may have moved to another authorization server. */
export async function findTarget(url: URL, challenge: AuthChallenge, options: TargetOptions): Promise<Target> {
  const metadata = await discoverResource(url, { ...options, resourceMetadata: challenge.resourceMetadata });
  if (!metadata && !options.allowsLegacyServers) {
    const message = `${nameOf(url)} refuses the request but has no metadata that names an authorization server`;
    throw new AuthorizationError("invalid_answer", message);
  }
  const server = metadata
    ? await discoverServer(await selectIssuer(url, metadata, options), options)
    : await discoverOwnServer(url, options);
  return {
    server,
    resource: metadata?.resource ?? canonicalResource(url),
    scopes: metadata?.scopes,
    dpopAlgorithm: wantsDpop(server, metadata, challenge, options) ? dpopAlgorithmOf(server) : undefined,
  };
}

function discoverOwnServer(url: URL, options: TargetOptions): Promise<AuthorizationServer> {
  const { pin } = options;
  if (pin && pin.issuer !== url.origin && pin.issuer !== `${url.origin}/`) throw refuseIssuer(pin, url.origin);
  return discoverLegacyServer(url, options);
}

export function refuseIssuer({ clientId, issuer }: PinnedIssuer, named: string): AuthorizationError {
  const message = `client ${clientId} belongs to the authorization server ${issuer}, but the server names ${excerptOf(named)}, which does not get its secret; if the change is intended, configure the client's issuer`;
  return new AuthorizationError("issuer_refused", message, { issuer: named });
}

// G-24: the client chooses among the authorization servers. A configured issuer leaves no choice.
async function selectIssuer(
  url: URL,
  { authorizationServers }: ResourceMetadata,
  options: TargetOptions,
): Promise<string> {
  const { pin } = options;
  if (pin && !authorizationServers.includes(pin.issuer)) throw refuseIssuer(pin, authorizationServers[0] ?? "none");
  const issuer = await options.selectIssuer(authorizationServers);
  if (pin && issuer !== undefined && issuer !== pin.issuer) throw refuseIssuer(pin, issuer);
  if (issuer !== undefined && authorizationServers.includes(issuer)) return issuer;
  const message = `none of the authorization servers that ${nameOf(url)} names may be used: ${authorizationServers.join(", ")}`;
  throw new AuthorizationError("issuer_refused", message);
}

function wantsDpop(
  server: AuthorizationServer,
  metadata: ResourceMetadata | undefined,
  { offersDpop, requiresDpop }: AuthChallenge,
  { dpop }: TargetOptions,
): boolean {
  if (dpop !== undefined) return dpop;
  return (
    requiresDpop ||
    metadata?.requiresDpop === true ||
    (offersDpop && server.dpop_signing_alg_values_supported !== undefined)
  );
}

function dpopAlgorithmOf({ issuer, dpop_signing_alg_values_supported: supported }: AuthorizationServer): string {
  const algorithm = selectDpopAlgorithm(supported);
  if (algorithm !== undefined) return algorithm;
  const message = `the authorization server ${issuer} takes DPoP proofs only with ${supported?.join(", ")}, none of which is supported here`;
  throw new AuthorizationError("unsupported", message, { issuer });
}
