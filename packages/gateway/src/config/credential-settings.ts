// How the gateway proves to an upstream who it is, or who it acts for (J-62, G-5): its own means, never the caller's token.

export interface ClientCredentialSettings {
  clientId: string;
  clientSecret: string;
  /**
   * The one authorization server that may get the secret (G-33). Default: the first one that the upstream names, which is
   * recorded and logged.
   */
  issuer?: string;
  scopes?: readonly string[];
}

/** One way in. */
export interface CredentialGrant {
  /** Sent with every request, over those of the server's own entry. */
  headers?: Readonly<Record<string, string>>;
  clientCredentials?: ClientCredentialSettings;
}

export interface CredentialSettings extends CredentialGrant {
  /** By caller id; for everybody else the grant above, or none at all when `isCallerRequired`. */
  callers?: Readonly<Record<string, CredentialGrant>>;
  /** A caller without an entry of its own is refused. */
  isCallerRequired?: boolean;
}

/** For messages: the setting of the issuer, for all callers or for one. */
export function issuerSettingOf(upstream: string, callerId?: string): string {
  const grant = callerId === undefined ? "" : `callers[${JSON.stringify(callerId)}].`;
  return `gateway.upstreams.${upstream}.credentials.${grant}clientCredentials.issuer`;
}
