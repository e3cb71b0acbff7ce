// Authorizes the gateway at an upstream with a configured client, whose secret only one issuer may get (G-33).
import {
  AuthorizationError,
  type Authorizer,
  type AuthStore,
  clientCredentials,
  createMemoryAuthStore,
  isAuthorizationError,
} from "@lethe/client";
import { createAuthorizer } from "@lethe/client/node";
import type { ClientCredentialSettings } from "../../config/credential-settings.ts";

export interface ClientCredentialOptions {
  /** The upstream. */
  readonly url: string;
  readonly settings: ClientCredentialSettings;
  /** Names the setting of the issuer in messages. */
  readonly issuerSetting: string;
  /** Where issuers are recorded on first use. Default: in memory. */
  readonly issuers?: AuthStore | undefined;
  readonly onWarning: (problem: string) => void;
}

export function createClientAuthorizer(options: ClientCredentialOptions): Authorizer {
  const { url, settings, issuerSetting, issuers = createMemoryAuthStore(), onWarning } = options;
  const { scopes, ...client } = settings;
  const authorizer = createAuthorizer(url, {
    grant: clientCredentials({ client }),
    scopes,
    // Each upstream has records of its own: two of them may use one client id with different issuers.
    account: url,
    issuerStore: withAdvice(issuers, issuerSetting),
    onWarning: (problem) => onWarning(`${problem} (${issuerSetting})`),
  });
  return {
    ...authorizer,
    onUnauthorized: (refusal) =>
      authorizer.onUnauthorized(refusal).catch((error: unknown) => {
        if (!isAuthorizationError(error) || error.code !== "issuer_refused") throw error;
        throw new AuthorizationError(error.code, `${error.message} (${issuerSetting})`, { issuer: error.issuer });
      }),
  };
}

/** Without a record the next start would trust the upstream again, so the secret is not sent. */
function withAdvice(issuers: AuthStore, issuerSetting: string): AuthStore {
  return {
    ...issuers,
    async save(key, value) {
      try {
        await issuers.save(key, value);
      } catch (cause) {
        const why = (cause as Error).message;
        throw new Error(`the issuer cannot be recorded: ${why}; set ${issuerSetting}`, { cause });
      }
    },
  };
}
