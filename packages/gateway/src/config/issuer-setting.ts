// Names the setting of an authorization server in messages.
import type { CredentialGrant } from "./schema/settings.ts";

/** Returns the path of the setting in this grant, for all callers or for one. */
export function issuerSettingOf(upstream: string, { enterpriseManaged }: CredentialGrant, callerId?: string): string {
  const caller = callerId === undefined ? "" : `callers[${JSON.stringify(callerId)}].`;
  const kind = enterpriseManaged ? "enterpriseManaged" : "clientCredentials";
  return `gateway.upstreams.${upstream}.credentials.${caller}${kind}.issuer`;
}
