// Operations for which a request for more scopes failed (G-45): the user is not asked again for a while.
import type { AuthorizationError } from "./authorization-error.ts";

export interface RefusedOperations {
  /** Throws the error of the last attempt while it is remembered. */
  require(operation: string): void;
  remember(operation: string, error: AuthorizationError): void;
}

/** How long, in ms, and how many. The oldest is dropped first. */
const rememberMs = 300_000;
const maxOperations = 1000;

export function createRefusedOperations(): RefusedOperations {
  const refused = new Map<string, { readonly error: AuthorizationError; readonly until: number }>();
  return {
    require(operation) {
      const found = refused.get(operation);
      if (found && found.until > Date.now()) throw found.error;
      refused.delete(operation);
    },
    remember(operation, error) {
      refused.delete(operation);
      refused.set(operation, { error, until: Date.now() + rememberMs });
      if (refused.size > maxOperations) refused.delete(refused.keys().next().value as string);
    },
  };
}
