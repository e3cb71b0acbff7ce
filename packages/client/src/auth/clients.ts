// Our client registrations, each bound to its issuer (G-33): no other authorization server receives their credentials.
import type { JsonObject } from "@lethe/protocol";
import type { AuthKeys, AuthStore } from "./auth-store.ts";
import type { GivenClient, OAuthClient } from "./oauth-client.ts";
import { parseRegistration, type Registration } from "./registration.ts";
import { type PinnedIssuer, refuseIssuer } from "./target.ts";

export interface Clients {
  /** Returns the client that was registered with this issuer for this redirect URL. */
  find(issuer: string, redirectUrl: string): Promise<Registration | undefined>;
  save(issuer: string, registration: Registration): Promise<void>;
  /** Forgets a client that the authorization server no longer knows. */
  forget(issuer: string): Promise<void>;
  /** The only issuer that may be used with this client: configured, or recorded on first use. */
  pinOf(client: GivenClient): Promise<PinnedIssuer | undefined>;
  /** Records the issuer on first use. Throws AuthorizationError "issuer_refused" if the client belongs to another issuer. */
  bind(client: GivenClient, issuer: string): Promise<OAuthClient>;
}

export interface ClientsOptions {
  readonly store: AuthStore;
  /** Where issuers are recorded on first use. */
  readonly issuerStore: AuthStore;
  readonly keys: AuthKeys;
  readonly onWarning: (message: string) => void;
}

export function createClients({ store, issuerStore, keys, onWarning }: ClientsOptions): Clients {
  async function pinOf({ clientId, issuer }: GivenClient): Promise<PinnedIssuer | undefined> {
    const pinned = issuer ?? (await issuerStore.load(keys.pin(clientId)))?.issuer;
    return typeof pinned === "string" ? { clientId, issuer: pinned } : undefined;
  }

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
    pinOf,
    async bind(client, issuer) {
      const { clientId } = client;
      const pin = await pinOf(client);
      if (pin && pin.issuer !== issuer) throw refuseIssuer(pin, issuer);
      if (!pin) {
        await issuerStore.save(keys.pin(clientId), { issuer });
        if (hasSecret(client)) onWarning(firstUse(clientId, issuer));
      }
      return client;
    },
  };
}

function hasSecret({ clientSecret, privateKey }: OAuthClient): boolean {
  return clientSecret !== undefined || privateKey !== undefined;
}

function firstUse(clientId: string, issuer: string): string {
  return `the secret of client ${clientId} is used with the authorization server ${issuer} for the first time, because the server names it and no issuer is configured; from now on no other one gets it. Configure the client's issuer to decide this yourself`;
}
