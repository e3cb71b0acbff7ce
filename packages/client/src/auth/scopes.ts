// Chooses the scopes to request (G-44, G-45).
import type { AuthorizationServer } from "oauth4webapi";

const offlineAccess = "offline_access";

export type Scopes = readonly string[];

export function unionScopes(...sets: readonly (Scopes | undefined)[]): Scopes {
  return [...new Set(sets.flatMap((scopes) => scopes ?? []))];
}

/**
 * Adds offline access only if the authorization server lists it, to get a refresh token. Never requests it alone:
 * any named scope replaces the default ones.
 */
export function withOfflineAccess(scopes: Scopes | undefined, server: AuthorizationServer): Scopes | undefined {
  const others = scopes?.filter((name) => name !== offlineAccess);
  if (!others || others.length === 0) return undefined;
  return server.scopes_supported?.includes(offlineAccess) ? [...others, offlineAccess] : others;
}

export function hasOfflineAccess(scopes: Scopes | undefined): boolean {
  return scopes?.includes(offlineAccess) ?? false;
}

export function covers(granted: Scopes, needed: Scopes): boolean {
  return needed.every((name) => granted.includes(name));
}
