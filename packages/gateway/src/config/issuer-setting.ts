// Names the setting of an authorization server in messages.

/** Returns the path of the setting, for all callers or for one. */
export function issuerSettingOf(upstream: string, callerId?: string): string {
  const grant = callerId === undefined ? "" : `callers[${JSON.stringify(callerId)}].`;
  return `gateway.upstreams.${upstream}.credentials.${grant}clientCredentials.issuer`;
}
