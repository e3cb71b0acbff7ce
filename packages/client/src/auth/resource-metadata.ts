// Protected resource metadata (RFC 9728, G-20, G-21): finds it, parses it, and checks that it describes this server.
import type { JsonObject } from "@lethe/protocol";
import { excerptOf } from "../call/transport-error.ts";
import { type AuthFetch, readJson } from "./auth-fetch.ts";
import { AuthorizationError } from "./authorization-error.ts";
import { parseSecureUrl } from "./secure-url.ts";
import { toStringArray } from "./string-array.ts";

export interface ResourceMetadata {
  // G-41
  /** Exactly as in the metadata, byte for byte: requests and tokens name the resource like this. */
  readonly resource: string;
  /** Issuers; at least one. */
  readonly authorizationServers: readonly string[];
  readonly scopes: readonly string[] | undefined;
  readonly requiresDpop: boolean;
}

export interface ResourceDiscovery {
  readonly fetch: AuthFetch;
  readonly signal: AbortSignal;
  /** The metadata URL from the challenge. */
  readonly resourceMetadata: string | undefined;
  readonly onWarning: (message: string) => void;
}

const wellKnown = "/.well-known/oauth-protected-resource";

/**
 * The metadata of the server at `server`, or undefined if it has none. Throws AuthorizationError if the metadata cannot
 * be read or describes another resource.
 */
export async function discoverResource(
  server: URL,
  discovery: ResourceDiscovery,
): Promise<ResourceMetadata | undefined> {
  const { fetch, signal, onWarning } = discovery;
  let failure: AuthorizationError | undefined;
  for (const url of resourceMetadataUrls(server, discovery.resourceMetadata, onWarning)) {
    const { status, document } = await readJson(fetch, url, signal);
    if (document) return processResourceMetadata(document, server);
    if (status < 400 || status >= 500) {
      const message = `the metadata of ${nameOf(server)} cannot be read: ${url} answered ${status} without a JSON object`;
      failure ??= new AuthorizationError("invalid_answer", message, { status });
    }
  }
  if (failure) throw failure;
  return undefined;
}

// In the order of attempts (G-20): the challenge's URL, the well-known URL with the path, the well-known URL of the origin.
export function resourceMetadataUrls(
  server: URL,
  fromChallenge: string | undefined,
  onWarning: (message: string) => void,
): string[] {
  const urls = [wellKnownUrl(server, server.pathname.replace(/\/$/, "") + server.search), wellKnownUrl(server, "")];
  const given = fromChallenge === undefined ? undefined : trustedUrl(fromChallenge, server, onWarning);
  return [...new Set(given === undefined ? urls : [given, ...urls])];
}

function wellKnownUrl({ origin }: URL, suffix: string): string {
  return `${origin}${wellKnown}${suffix}`;
}

// A URL on a foreign origin could make us request anything (G-20). The server's own metadata is at the well-known URLs.
function trustedUrl(text: string, server: URL, onWarning: (message: string) => void): string | undefined {
  if (URL.canParse(text)) {
    const { origin, href } = new URL(text);
    if (origin === server.origin) return href;
  }
  onWarning(`${nameOf(server)} points to metadata elsewhere, which is not asked: ${excerptOf(text)}`);
  return undefined;
}

export function processResourceMetadata(document: JsonObject, server: URL): ResourceMetadata {
  const { resource } = document;
  if (typeof resource !== "string" || !identifiesServer(resource, server)) {
    const named = typeof resource === "string" ? excerptOf(resource) : "none";
    const message = `the metadata of ${nameOf(server)} is about another resource: ${named}; check the URL of the server`;
    throw new AuthorizationError("resource_mismatch", message);
  }
  const authorizationServers = toStringArray(document.authorization_servers);
  if (!authorizationServers) {
    const message = `the metadata of ${nameOf(server)} names no authorization server, so no token can be requested`;
    throw new AuthorizationError("invalid_answer", message);
  }
  return {
    resource,
    authorizationServers,
    scopes: toStringArray(document.scopes_supported),
    requiresDpop: document.dpop_bound_access_tokens_required === true,
  };
}

// G-21: the URL itself, or a prefix of it on the same origin.
export function identifiesServer(resource: string, server: URL): boolean {
  if (!URL.canParse(resource) || resource.includes("#")) return false;
  const { origin, pathname, search } = new URL(resource);
  if (origin !== server.origin || (search !== "" && search !== server.search)) return false;
  const folder = pathname.endsWith("/") ? pathname : `${pathname}/`;
  return `${server.pathname}/`.startsWith(folder);
}

// The canonical URI of a server without metadata (G-41): no fragment, no trailing slash.
export function canonicalResource(server: URL): string {
  const { origin, pathname, search } = parseSecureUrl(server.href, "the server's URL");
  return pathname === "/" && search === "" ? origin : origin + pathname + search;
}

/** For messages: without the query, which may contain a secret. */
export function nameOf({ origin, pathname }: URL): string {
  return origin + pathname;
}
