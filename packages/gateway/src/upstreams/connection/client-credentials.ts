// Authorizes the gateway at an upstream with a configured client. Its secret or assertions go to one issuer only (G-33).
import {
  AuthorizationError,
  type Authorizer,
  type AuthStore,
  createMemoryAuthStore,
  isAuthorizationError,
} from "@lethe/client/auth";
import { createAuthorizer } from "@lethe/client/node";
import { type GrantSettings, grantOf } from "./grant-of.ts";

export interface ClientCredentialOptions {
  /** The URL of the upstream. */
  readonly url: string;
  readonly settings: GrantSettings;
  /** The name of the issuer setting, for messages. */
  readonly issuerSetting: string;
  /** Records the issuer on first use. Default: in memory. */
  readonly issuers?: AuthStore | undefined;
  readonly onWarning: (problem: string) => void;
}

export function createClientAuthorizer(options: ClientCredentialOptions): Authorizer {
  const { url, settings, issuerSetting, issuers = createMemoryAuthStore(), onWarning } = options;
  const { scopes } = settings;
  const authorizer = createAuthorizer(url, {
    grant: grantOf(settings),
    scopes,
    // Each upstream has its own records, because two upstreams may use the same client id with different issuers.
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

/** Without a record, the next start would trust the upstream's metadata again. Then the secret is not sent. */
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
