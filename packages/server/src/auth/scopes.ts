// Compares the scopes of a caller with those that an operation requires (G-4, G-5).
import { type Caller, type Exchange, isJsonObject, McpError } from "@lethe/protocol";

/** Which scopes a scope contains, for example `{ admin: ["read", "write"] }`; contained scopes may contain others. */
export type ScopeHierarchy = Readonly<Record<string, readonly string[]>>;

/** An application's own code, outside the range of JSON-RPC. The HTTP edge answers 403 with a challenge. */
const insufficientScopeCode = 403;

/**
 * Throws an McpError unless `caller` has all scopes; the error names them. For decisions inside a handler; scopes that a tool always
 * needs belong in its `scopes` option. Without authentication (stdio, or no `auth`) there is no caller, and nothing is checked.
 *
 * @example
 * import { requireScopes } from "@lethe/server/auth";
 *
 * requireScopes({ id: "ann", scopes: ["read"] }, ["read"]); // ann has the scope
 */
export function requireScopes(caller: Caller | undefined, scopes: readonly string[]): void {
  if (caller === undefined || scopes.every((scope) => caller.scopes?.includes(scope))) return;
  throw insufficientScope(scopes);
}

/** Checks the scopes of a feature. Fails closed: over HTTP, a server without authentication does not serve such a feature. */
export function requireDeclaredScopes(exchange: Exchange, scopes: readonly string[]): void {
  if (exchange.isAnonymous && scopes.length > 0) throw insufficientScope(scopes);
  requireScopes(exchange.caller, scopes);
}

export function insufficientScope(scopes: readonly string[]): McpError {
  return new McpError(insufficientScopeCode, `insufficient scope: ${scopes.join(" ")} needed`, {
    data: { requiredScopes: scopes },
  });
}

/** The scopes that an insufficient-scope error asks for; undefined for any other error. */
export function requiredScopesOf(error: McpError): readonly string[] | undefined {
  if (error.code !== insufficientScopeCode || !isJsonObject(error.data)) return undefined;
  const scopes = error.data.requiredScopes;
  return Array.isArray(scopes) ? scopes : undefined;
}

/** The granted scopes with all that they contain, each once. */
export function withContained(granted: readonly string[], hierarchy: ScopeHierarchy): readonly string[] {
  const all = new Set(granted);
  // Iteration of a Set includes members added meanwhile, so chains are followed and loops end.
  for (const scope of all) {
    if (Object.hasOwn(hierarchy, scope)) for (const contained of hierarchy[scope] ?? []) all.add(contained);
  }
  return [...all];
}
