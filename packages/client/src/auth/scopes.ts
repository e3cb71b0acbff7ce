// Which scopes to ask for (G-44, G-45).
import type { AuthorizationServer } from "oauth4webapi";

const offlineAccess = "offline_access";

export type Scopes = readonly string[];

export function unionScopes(...sets: readonly (Scopes | undefined)[]): Scopes {
  return [...new Set(sets.flatMap((scopes) => scopes ?? []))];
}

/**
 * Offline access is asked for only where the authorization server lists it (G-44), so that it gives a refresh token; and
 * never alone, because naming a scope takes the place of the default ones.
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
