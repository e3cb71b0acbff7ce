// The clients that we are, each bound to its issuer (G-33): what one authorization server gave is shown to no other.
import type { JsonObject } from "@lethe/protocol";
import type { AuthKeys, AuthStore } from "./auth-store.ts";
import { AuthorizationError } from "./authorization-error.ts";
import type { GivenClient, OAuthClient } from "./oauth-client.ts";
import { parseRegistration, type Registration } from "./registration.ts";

export interface Clients {
  /** What was registered with this issuer for this redirect URL. */
  find(issuer: string, redirectUrl: string): Promise<Registration | undefined>;
  save(issuer: string, registration: Registration): Promise<void>;
  /** The authorization server no longer knows it. */
  forget(issuer: string): Promise<void>;
  /** Throws AuthorizationError "issuer_refused" for a client of another issuer. */
  bind(client: GivenClient, issuer: string): Promise<OAuthClient>;
}

export function createClients(store: AuthStore, keys: AuthKeys): Clients {
  return {
    async find(issuer, redirectUrl) {
      return parseRegistration(await store.load(keys.client(issuer)), redirectUrl);
    },
    async save(issuer, registration) {
      await store.save(keys.client(issuer), registration as unknown as JsonObject);
    },
    async forget(issuer) {
      await store.delete(keys.client(issuer));
    },
    async bind(client, issuer) {
      const { clientId } = client;
      const bound = client.issuer ?? (await store.load(keys.pin(clientId)))?.issuer;
      if (bound === undefined) await store.save(keys.pin(clientId), { issuer });
      else if (bound !== issuer) {
        const message = `client ${clientId} belongs to the authorization server ${bound}, but the server names ${issuer}; register a client there and configure it`;
        throw new AuthorizationError("issuer_refused", message, { issuer });
      }
      return client;
    },
  };
}
