// Who may call the gateway (G.1): keys of the configuration, tokens of an authorization server, or both.
import { type Authenticator, createAuthenticator, createKeyAuthenticator, type Sender } from "@lethe/server/auth";
import type { AuthSettings, GatewaySettings } from "../config/gateway-settings.ts";

export interface AuthenticationOptions {
  /** Why a token was refused, and whose, for the log. */
  onRefused(reason: unknown, sender?: Sender): void;
}

/** Undefined when whoever reaches the port may call. One for all endpoints: their tokens are for the merged one (G-21). */
export function createAuthentication(
  { auth, publicUrl }: GatewaySettings,
  { onRefused }: AuthenticationOptions,
): Authenticator | undefined {
  if (!auth) return undefined;
  const keys = auth.keys && auth.keys.length > 0 ? createKeyAuthenticator(auth.keys) : undefined;
  const tokens = createTokenAuthenticator(auth, publicUrl, onRefused);
  if (!keys || !tokens) return keys ? withReport(keys, onRefused) : tokens;
  return {
    ...tokens,
    // A key is found at once and without asking anybody; what is no key may be a token.
    async authenticate(authorization, sender) {
      try {
        return await keys.authenticate(authorization);
      } catch {
        return tokens.authenticate(authorization, sender);
      }
    },
  };
}

function createTokenAuthenticator(
  { jwt }: AuthSettings,
  publicUrl: string | undefined,
  onRefused: AuthenticationOptions["onRefused"],
): Authenticator | undefined {
  if (!jwt || publicUrl === undefined) return undefined;
  const { issuer, jwksUrl, audience, algorithms, scopesSupported = jwt.requiredScopes, ...options } = jwt;
  return createAuthenticator({
    ...options,
    // What every token needs is the least that a client should ask for.
    ...(scopesSupported && { scopesSupported }),
    resource: publicUrl,
    jwt: { issuer, jwksUrl, ...(audience && { audience }), ...(algorithms && { algorithms }) },
    onRefused,
  });
}

function withReport(authenticator: Authenticator, onRefused: AuthenticationOptions["onRefused"]): Authenticator {
  return {
    ...authenticator,
    async authenticate(authorization, sender) {
      try {
        return await authenticator.authenticate(authorization);
      } catch (error) {
        onRefused(error, sender);
        throw error;
      }
    },
  };
}
