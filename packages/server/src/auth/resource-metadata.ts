// Protected resource metadata (G-2, RFC 9728): how a client finds the authorization servers of this server.

export interface ProtectedResourceMetadata {
  /** Exactly as configured: clients compare it byte by byte. */
  resource: string;
  authorization_servers: string[];
  scopes_supported?: string[];
  bearer_methods_supported: ["header"];
}

/** Serve the document to any origin: it is public, and a browser client needs it before it has a token. */
export const metadataHeaders: Readonly<Record<string, string>> = {
  "content-type": "application/json",
  "cache-control": "public, max-age=3600",
  "access-control-allow-origin": "*",
};

const wellKnown = "/.well-known/oauth-protected-resource";

/** Where the document is served: under the path of the resource first (the one that challenges name), then at the root. */
export function metadataPathsOf(resource: URL): readonly string[] {
  return resource.pathname === "/" ? [wellKnown] : [`${wellKnown}${resource.pathname}`, wellKnown];
}

export function metadataUrlOf(resource: URL): string {
  return `${resource.origin}${metadataPathsOf(resource)[0]}${resource.search}`;
}

export interface ResourceMetadataOptions {
  resource: string;
  authorizationServers: readonly string[];
  scopesSupported?: readonly string[];
}

/** Throws TypeError for a configuration that no client could use. */
export function toResourceMetadata(options: ResourceMetadataOptions): ProtectedResourceMetadata {
  const { resource, authorizationServers, scopesSupported } = options;
  if (new URL(resource).hash) throw new TypeError(`resource must have no fragment, got ${resource}`);
  if (authorizationServers.length === 0) throw new TypeError("at least one authorization server expected");
  for (const server of authorizationServers) requireSafeUrl("an authorization server", server);
  if (scopesSupported?.includes("offline_access")) {
    throw new TypeError("scopesSupported must not hold offline_access: it is the client's wish (G-6)");
  }
  const metadata: ProtectedResourceMetadata = {
    resource,
    authorization_servers: [...authorizationServers],
    bearer_methods_supported: ["header"],
  };
  if (scopesSupported) metadata.scopes_supported = [...scopesSupported];
  return metadata;
}

/** https, or http to this machine; keys and issuers fetched over anything else prove nothing. */
export function requireSafeUrl(what: string, text: string): URL {
  const url = new URL(text);
  const isLoopback = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback)) return url;
  throw new TypeError(`${what} must be an https URL, got ${text}`);
}
