// The WWW-Authenticate header of a rejected request (G-3, G-4; RFC 6750 section 3).

export interface Challenge {
  error?: "invalid_request" | "invalid_token" | "insufficient_scope";
  description?: string;
  /** All scopes that the operation needs. */
  scopes?: readonly string[];
}

/** `resourceMetadata` is the URL of the protected resource metadata, when there is one. */
export function toWwwAuthenticate(challenge: Challenge, resourceMetadata?: string): string {
  const params: string[] = [];
  if (challenge.error) params.push(`error=${quoted(challenge.error)}`);
  if (challenge.description) params.push(`error_description=${quoted(challenge.description)}`);
  if (challenge.scopes && challenge.scopes.length > 0) params.push(`scope=${quoted(challenge.scopes.join(" "))}`);
  if (resourceMetadata) params.push(`resource_metadata=${quoted(resourceMetadata)}`);
  return params.length === 0 ? "Bearer" : `Bearer ${params.join(", ")}`;
}

/** A quoted-string of visible ASCII: other characters could end the header or the quotes. */
function quoted(text: string): string {
  return `"${text.replace(/[^\x20-\x7e]/g, "?").replace(/["\\]/g, "\\$&")}"`;
}
