// The authorization extensions: a client without a user, and a client whose company decides which servers its users may use. Each declares
// itself and gets the tokens.
import { checkOptions, type JsonObject, type KnownOptions } from "@lethe/protocol";
import { type ClientCredentialsOptions, clientCredentials } from "../auth/client-credentials.ts";
import { type AuthorizerOptions, knownAuthorizerOptions } from "../auth/create-authorizer.ts";
import { type EnterpriseManagedOptions, enterpriseManaged } from "../auth/jwt-bearer.ts";
import type { ClientExtension } from "../connect/client-extension.ts";

/** How the tokens of an authorization extension are kept and requested. */
export type AuthorizationExtensionOptions = Omit<AuthorizerOptions, "grant">;

const settings: JsonObject = {};
const { grant: _, ...knownExtensionOptions } = knownAuthorizerOptions;
const knownOptions: KnownOptions<AuthorizationExtensionOptions> = knownExtensionOptions;

/**
 * The extension OAuth Client Credentials, for programs without a user: they get tokens with a secret or a signed assertion. Throws an Error
 * that names the option that is wrong.
 *
 * @example
 * import { oauthClientCredentials } from "@lethe/client/auth";
 *
 * const client = { clientId: "nightly-job", clientSecret: "secret", issuer: "https://auth.example.com" };
 * const credentials = oauthClientCredentials({ client }, { scopes: ["reports:read"] });
 *
 * // Pass it to a client: `connect(url, { extensions: [credentials] })`.
 * console.log(credentials.id); // io.modelcontextprotocol/oauth-client-credentials
 */
export function oauthClientCredentials(
  identity: ClientCredentialsOptions,
  options: AuthorizationExtensionOptions = {},
): ClientExtension {
  checkOptions("oauthClientCredentials", options, knownOptions);
  const authorization = { ...options, grant: clientCredentials(identity) };
  return { id: "io.modelcontextprotocol/oauth-client-credentials", settings, authorization };
}

/**
 * The extension Enterprise-Managed Authorization: the identity provider of a company decides which servers its users may access. The id token
 * of a user is exchanged for an authorization grant (ID-JAG) there, and that for a token of the MCP server. The user is not asked. Throws an
 * Error that names the option that is wrong.
 *
 * @example
 * import { enterpriseManagedAuthorization } from "@lethe/client/auth";
 *
 * const company = enterpriseManagedAuthorization({
 *   client: { clientId: "assistant", issuer: "https://auth.example.com" },
 *   identityProvider: { issuer: "https://idp.example.com", client: { clientId: "assistant-at-idp" } },
 *   idToken: () => "the id token of the signed-in user",
 * });
 *
 * // Pass it to a client: `connect(url, { extensions: [company] })`.
 * console.log(company.id); // io.modelcontextprotocol/enterprise-managed-authorization
 */
export function enterpriseManagedAuthorization(
  identity: EnterpriseManagedOptions,
  options: AuthorizationExtensionOptions = {},
): ClientExtension {
  checkOptions("enterpriseManagedAuthorization", options, knownOptions);
  const authorization = { ...options, grant: enterpriseManaged(identity) };
  return { id: "io.modelcontextprotocol/enterprise-managed-authorization", settings, authorization };
}
