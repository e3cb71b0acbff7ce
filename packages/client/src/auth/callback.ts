// Checks the URL that the user returned to: it must answer our request, from the authorization server we asked (G-42, RFC 9207).
import type { AuthorizationServer } from "oauth4webapi";
import { AuthorizationError, quoteOf } from "./authorization-error.ts";

/** Recorded before the user is sent to the authorization server. */
export interface CallbackExpectation {
  readonly server: AuthorizationServer;
  readonly clientId: string;
  readonly state: string;
}

/** Returns the parameters for the token request. Throws AuthorizationError. */
export async function processCallback(
  callback: URL,
  { server, clientId, state }: CallbackExpectation,
): Promise<URLSearchParams> {
  // Checked first: nothing of a foreign response may be shown, not even its error.
  checkIssuer(callback.searchParams, server);
  const { AuthorizationResponseError, validateAuthResponse } = await import("oauth4webapi");
  const { issuer } = server;
  try {
    const parameters = validateAuthResponse(server, { client_id: clientId }, callback, state);
    if (parameters.get("code")) return parameters;
  } catch (thrown) {
    if (thrown instanceof AuthorizationResponseError) {
      const { error: oauthError, error_description: description } = thrown;
      const why = description === undefined ? "" : ` (${quoteOf(description)})`;
      const message = `the authorization server ${issuer} did not authorize this client: ${quoteOf(oauthError)}${why}`;
      throw new AuthorizationError("access_denied", message, { issuer, oauthError });
    }
  }
  const message = `what came back does not answer the request to ${issuer}: its state or its code is missing or wrong; authorize again`;
  throw new AuthorizationError("invalid_callback", message, { issuer });
}

/** RFC 9207 section 2.4: issuers are compared as text, without normalization. */
function checkIssuer(parameters: URLSearchParams, server: AuthorizationServer): void {
  const { issuer } = server;
  const named = parameters.getAll("iss");
  if (named.length === 0 && server.authorization_response_iss_parameter_supported !== true) return;
  if (named.length === 1 && named[0] === issuer) return;
  const what = named.length === 0 ? "no issuer, which this one always names" : "another issuer";
  const message = `what came back from ${issuer} names ${what}; it may be forged and is not used`;
  throw new AuthorizationError("issuer_mismatch", message, { issuer });
}
