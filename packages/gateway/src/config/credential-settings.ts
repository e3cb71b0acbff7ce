// The configured credentials of the gateway at an upstream, for itself or for a caller (J-62, G-5). Never the caller's own
// token.

export interface ClientCredentialSettings {
  clientId: string;
  clientSecret: string;
  /**
   * The only authorization server that may receive the secret. Default: the first one that the upstream names, which is
   * recorded and logged.
   */
  issuer?: string;
  scopes?: readonly string[];
}

/** One set of credentials. */
export interface CredentialGrant {
  /** Sent with every MCP request, in addition to the headers of the server's entry. They replace those of the same name. */
  headers?: Readonly<Record<string, string>>;
  clientCredentials?: ClientCredentialSettings;
}

export interface CredentialSettings extends CredentialGrant {
  /** Credentials by caller id. Other callers use the grant above, or none if `isCallerRequired`. */
  callers?: Readonly<Record<string, CredentialGrant>>;
  /** Whether callers without their own entry are refused. */
  isCallerRequired?: boolean;
}

/** Names the setting of the issuer in messages, for all callers or for one. */
export function issuerSettingOf(upstream: string, callerId?: string): string {
  const grant = callerId === undefined ? "" : `callers[${JSON.stringify(callerId)}].`;
  return `gateway.upstreams.${upstream}.credentials.${grant}clientCredentials.issuer`;
}
