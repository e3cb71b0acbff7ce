// How the gateway gets into a remote upstream: the headers of its entry, and what the operator gave it to use for everybody
// or for one caller. Never what the caller came with (J-62).
import { type Authorizer, clientCredentials, createAuthorizer } from "@lethe/client";
import type { ClientCredentialSettings, CredentialGrant } from "../config/credential-settings.ts";
import type { HttpUpstream, UpstreamConfig } from "../config/upstream-config.ts";
import { upstreamError } from "./upstream-error.ts";

export interface WayIn {
  readonly headers: Record<string, string>;
  readonly authorizer?: Authorizer;
}

/** Given the id of the caller; undefined for the gateway's own requests and for those who say no name. */
export function createWayIn({ url, headers, credentials = {} }: HttpUpstream): (callerId: string | undefined) => WayIn {
  const { callers = {} } = credentials;
  /** Tokens are kept for as long as the upstream is, and are shared by whoever has the same grant. */
  const authorizers = new Map<ClientCredentialSettings, Authorizer>();

  function authorizerOf(settings: ClientCredentialSettings): Authorizer {
    const known = authorizers.get(settings);
    if (known) return known;
    const { scopes, ...client } = settings;
    const authorizer = createAuthorizer(url, { grant: clientCredentials({ client }), scopes });
    authorizers.set(settings, authorizer);
    return authorizer;
  }

  return (callerId) => {
    const own = callerId !== undefined && Object.hasOwn(callers, callerId) ? callers[callerId] : undefined;
    const grant: CredentialGrant = own ?? credentials;
    return {
      headers: { ...headers, ...grant.headers },
      ...(grant.clientCredentials && { authorizer: authorizerOf(grant.clientCredentials) }),
    };
  };
}

/** Throws McpError for a caller who would go in as somebody else. */
export function requireWayIn({ name, credentials }: UpstreamConfig, callerId: string | undefined): void {
  if (!credentials?.isCallerRequired) return;
  if (callerId !== undefined && credentials.callers && Object.hasOwn(credentials.callers, callerId)) return;
  throw upstreamError(name, "unauthorized", "is open only to callers with credentials of their own there");
}
