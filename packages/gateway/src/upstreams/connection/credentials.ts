// The credentials of the gateway at a remote upstream: the configured headers, and a grant for all callers or for one caller.
// The caller's own credentials are never forwarded (J-62).
import type { Authorizer, AuthStore } from "@lethe/client/auth";
import { issuerSettingOf } from "../../config/issuer-setting.ts";
import type { CredentialGrant } from "../../config/schema/settings.ts";
import type { HttpUpstream, UpstreamConfig } from "../../config/upstream-config.ts";
import { createClientAuthorizer } from "./client-credentials.ts";
import type { GrantSettings } from "./grant-of.ts";
import { upstreamError } from "./upstream-error.ts";

export interface UpstreamCredentials {
  readonly headers: Record<string, string>;
  readonly authorizer?: Authorizer;
}

export interface CredentialsOptions {
  /** Records issuers on first use. Default: in memory. */
  issuers?: AuthStore | undefined;
  onWarning?: ((problem: string) => void) | undefined;
}

/** The returned function takes a caller id, or undefined for the gateway's own requests and for anonymous callers. */
export function createCredentials(
  { name, url, headers, credentials = {} }: HttpUpstream,
  { issuers, onWarning = () => {} }: CredentialsOptions = {},
): (callerId: string | undefined) => UpstreamCredentials {
  const { callers = {} } = credentials;
  /** Tokens live as long as the upstream. Callers with the same grant share them. */
  const authorizers = new Map<GrantSettings, Authorizer>();

  function authorizerOf(grant: CredentialGrant, callerId: string | undefined): Authorizer | undefined {
    const settings = grant.clientCredentials ?? grant.enterpriseManaged;
    const known = settings && authorizers.get(settings);
    if (!settings || known) return known;
    const issuerSetting = issuerSettingOf(name, grant, callerId);
    const authorizer = createClientAuthorizer({ url, settings, issuerSetting, issuers, onWarning });
    authorizers.set(settings, authorizer);
    return authorizer;
  }

  return (callerId) => {
    const own = callerId !== undefined && Object.hasOwn(callers, callerId) ? callers[callerId] : undefined;
    const grant: CredentialGrant = own ?? credentials;
    const authorizer = authorizerOf(grant, own && callerId);
    return { headers: mergeHeaders(headers, grant.headers), ...(authorizer && { authorizer }) };
  };
}

/** `own` replaces headers of the same name in any case: HTTP would send both otherwise. */
function mergeHeaders(
  headers: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>> | undefined,
): Record<string, string> {
  if (!own) return { ...headers };
  const replaced = new Set(Object.keys(own).map((name) => name.toLowerCase()));
  const kept = Object.entries(headers).filter(([name]) => !replaced.has(name.toLowerCase()));
  return { ...Object.fromEntries(kept), ...own };
}

/** Throws McpError for a caller without credentials of its own, where the configuration requires them. */
export function requireCallerCredentials({ name, credentials }: UpstreamConfig, callerId: string | undefined): void {
  if (!credentials?.callerRequired) return;
  if (callerId !== undefined && credentials.callers && Object.hasOwn(credentials.callers, callerId)) return;
  throw upstreamError(name, "unauthorized", "is open only to callers with credentials of their own there");
}
