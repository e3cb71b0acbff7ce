// Authenticates callers of the gateway (G.1): by keys of the configuration, by tokens of an authorization server, or both.
import { type Authenticator, createAuthenticator, createKeyAuthenticator, type Sender } from "@lethe/server/auth";
import type { AuthSettings, GatewaySettings } from "../config/schema/settings.ts";

export interface AuthenticationOptions {
  /** Called for the log with the reason a token was refused, and its sender. */
  onRefused(reason: unknown, sender?: Sender): void;
}

/**
 * Returns undefined if the configuration requires no authentication. All endpoints share one authenticator, because tokens are
 * issued for the merged endpoint. Throws an Error for settings that would let every caller in. Those of a file are checked before.
 */
export function createAuthentication(
  { auth, publicUrl }: GatewaySettings,
  { onRefused }: AuthenticationOptions,
): Authenticator | undefined {
  if (!auth) return undefined;
  if (!auth.keys?.length && !auth.jwt)
    throw new Error('the setting "auth" needs "keys" or "jwt"; without it, callers are anonymous');
  if (auth.jwt && publicUrl === undefined)
    throw new Error('the setting "auth.jwt" needs "publicUrl": the URL of the endpoint, which tokens are issued for');
  const keys = auth.keys && auth.keys.length > 0 ? createKeyAuthenticator(auth.keys) : undefined;
  const tokens = createTokenAuthenticator(auth, publicUrl, onRefused);
  if (!keys || !tokens) return keys ? withReport(keys, onRefused) : tokens;
  return {
    ...tokens,
    // Checking a key needs no network. A value that is no key may be a token.
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
  const { issuer, jwksUrl, audience, algorithms, extensions: _, ...others } = jwt;
  const { scopesSupported = jwt.requiredScopes, ...options } = others;
  return createAuthenticator({
    authorizationServers: [issuer],
    ...options,
    // The scopes that every token needs are the least that a client should request.
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
