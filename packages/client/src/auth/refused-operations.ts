// Operations for which more scopes were asked for in vain (G-45): nobody is asked again for a while.
import type { AuthorizationError } from "./authorization-error.ts";

export interface RefusedOperations {
  /** Throws what the last attempt ended in, while that is remembered. */
  require(operation: string): void;
  remember(operation: string, error: AuthorizationError): void;
}

/** How long, in milliseconds, and how many; the oldest goes first. */
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
