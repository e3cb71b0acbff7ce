// Checks that the caller and the client may use a feature (B-35 steps 14 and 15).
import { clientCapabilitiesOf, type Exchange, type ModernRequest } from "@lethe/protocol";
import { requireDeclaredScopes } from "../auth/scopes.ts";
import type { Feature } from "../features/feature.ts";
import { checkNeeds } from "../interaction/needs.ts";

/** Throws McpError -32021 for an undeclared capability, then the error of insufficient scope. */
export function requireAccess(feature: Feature, request: ModernRequest, exchange: Exchange): void {
  if (feature.needs !== undefined) checkNeeds(feature.needs, clientCapabilitiesOf(request));
  if (feature.scopes !== undefined) requireDeclaredScopes(exchange, feature.scopes);
}
