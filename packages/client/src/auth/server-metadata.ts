// Authorization server metadata (RFC 8414 and OpenID Connect Discovery; G-22, G-23, G-25).
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import type { AuthorizationServer } from "oauth4webapi";
import { excerptOf } from "../call/transport-error.ts";
import { type AuthFetch, readJson } from "./auth-fetch.ts";
import { AuthorizationError } from "./authorization-error.ts";
import { parseSecureUrl } from "./secure-url.ts";

export type { AuthorizationServer };

export interface ServerDiscovery {
  readonly fetch: AuthFetch;
  readonly signal: AbortSignal;
}

const oauth = "/.well-known/oauth-authorization-server";
const openid = "/.well-known/openid-configuration";

// G-22. RFC 8414 removes a trailing slash of the issuer.
export function serverMetadataUrls(issuer: string): string[] {
  const { origin, pathname } = parseSecureUrl(issuer, "an authorization server");
  const path = pathname.replace(/\/$/, "");
  const urls = [`${origin}${oauth}${path}`, `${origin}${openid}${path}`];
  return path === "" ? urls : [...urls, `${origin}${path}${openid}`];
}

/** Throws AuthorizationError if there is no metadata of exactly this issuer. */
export async function discoverServer(issuer: string, discovery: ServerDiscovery): Promise<AuthorizationServer> {
  const found = await findServer(issuer, discovery);
  if (found) return found;
  const urls = serverMetadataUrls(issuer).join(", ");
  const message = `the authorization server ${issuer} has no metadata; looked at ${urls}`;
  throw new AuthorizationError("invalid_answer", message, { issuer });
}

// A server of 2025-03-26 is its own authorization server, with or without metadata (G-25).
export async function discoverLegacyServer(server: URL, discovery: ServerDiscovery): Promise<AuthorizationServer> {
  // URL libraries of that time added a slash to the issuer.
  const found = await findServer(server.origin, discovery, [server.origin, `${server.origin}/`]);
  return (
    found ?? {
      issuer: server.origin,
      authorization_endpoint: `${server.origin}/authorize`,
      token_endpoint: `${server.origin}/token`,
      registration_endpoint: `${server.origin}/register`,
      code_challenge_methods_supported: ["S256"],
    }
  );
}

async function findServer(
  issuer: string,
  { fetch, signal }: ServerDiscovery,
  accepted: readonly string[] = [issuer],
): Promise<AuthorizationServer | undefined> {
  let failure: AuthorizationError | undefined;
  for (const url of serverMetadataUrls(issuer)) {
    const { status, document } = await readJson(fetch, url, signal);
    try {
      if (document) return processServerMetadata(document, accepted);
      if (status < 400 || status >= 500) throw unreadable(url, status, issuer);
    } catch (error) {
      failure ??= error as AuthorizationError;
    }
  }
  if (failure) throw failure;
  return undefined;
}

// G-23: issuers are compared as text. A server that could impersonate another issuer could collect its users' tokens.
export function processServerMetadata(document: JsonObject, accepted: readonly string[]): AuthorizationServer {
  const { issuer } = document;
  if (typeof issuer !== "string" || !accepted.includes(issuer)) {
    const named = typeof issuer === "string" ? excerptOf(issuer) : "none";
    const message = `the authorization server ${accepted[0]} has the metadata of another issuer: ${named}; none of it is used`;
    throw new AuthorizationError("issuer_mismatch", message, { issuer: accepted[0] });
  }
  const members = Object.entries(document).filter(([name, value]) => isWellFormed(name, value));
  return Object.fromEntries(members) as unknown as AuthorizationServer;
}

/** A malformed member counts as absent, so that the others stay usable. */
function isWellFormed(name: string, value: unknown): boolean {
  if (name.endsWith("_endpoint")) return typeof value === "string";
  if (name.endsWith("_supported")) return typeof value === "boolean" || isStringArray(value);
  return !isJsonObject(value);
}

function isStringArray(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function unreadable(url: string, status: number, issuer: string): AuthorizationError {
  const message = `the metadata of the authorization server ${issuer} cannot be read: ${url} answered ${status} without a JSON object`;
  return new AuthorizationError("invalid_answer", message, { issuer, status });
}
