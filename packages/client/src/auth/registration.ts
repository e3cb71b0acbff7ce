// Dynamic client registration (RFC 7591, G-32): requests a client and reads the response leniently.
import { isJsonObject, type JsonObject, type KnownOptions } from "@lethe/protocol";
import type { AuthFetch } from "./auth-fetch.ts";
import { AuthorizationError, quoteOf } from "./authorization-error.ts";
import type { OAuthClient } from "./oauth-client.ts";
import { isLoopback, parseSecureUrl } from "./secure-url.ts";
import type { AuthorizationServer } from "./server-metadata.ts";

/** A registered client as it is stored. */
export interface Registration extends OAuthClient {
  readonly redirectUrl: string;
  /** Unix time in milliseconds. */
  readonly expiresAt?: number;
}

/** How a client describes itself when it is registered. */
export interface RegistrationOptions {
  /** The name that the authorization server shows to the user. Default "MCP client". */
  clientName?: string | undefined;
  /** "native" for programs on the user's machine, "web" for hosted ones. Default: derived from the redirect URL. */
  applicationType?: "native" | "web" | undefined;
  /** Further members of the registration request, for example `logo_uri`. */
  clientMetadata?: JsonObject | undefined;
}

export const knownRegistrationOptions: KnownOptions<RegistrationOptions> = {
  clientName: true,
  applicationType: true,
  clientMetadata: true,
};

export interface RegistrationContext extends RegistrationOptions {
  readonly fetch: AuthFetch;
  readonly signal: AbortSignal;
  readonly redirectUrl: string;
}

/** Throws AuthorizationError "registration_refused" with the reason. */
export async function register(server: AuthorizationServer, context: RegistrationContext): Promise<Registration> {
  const { fetch, signal, redirectUrl } = context;
  const response = await registrationRequest(server, toClientMetadata(server, context), { fetch, signal });
  return processRegistrationResponse(response, { issuer: server.issuer, redirectUrl });
}

export function toClientMetadata(
  server: AuthorizationServer,
  options: RegistrationOptions & { redirectUrl: string },
): JsonObject {
  const { clientName = "MCP client", redirectUrl, clientMetadata } = options;
  const isLocal = !redirectUrl.startsWith("https:") || isLoopback(new URL(redirectUrl));
  const applicationType = options.applicationType ?? (isLocal ? "native" : "web");
  const authMethod = preferredMethod(server, applicationType);
  return {
    client_name: clientName,
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    application_type: applicationType,
    ...(authMethod === undefined ? {} : { token_endpoint_auth_method: authMethod }),
    ...clientMetadata,
  };
}

/** A program on a user's machine cannot keep a secret, so it registers as a public client. */
function preferredMethod(server: AuthorizationServer, applicationType: string): string | undefined {
  const supported = server.token_endpoint_auth_methods_supported;
  const secret = ["client_secret_basic", "client_secret_post"];
  const order = applicationType === "native" ? ["none", ...secret] : [...secret, "none"];
  return order.find((method) => supported?.includes(method));
}

function registrationRequest(
  server: AuthorizationServer,
  metadata: JsonObject,
  { fetch, signal }: { fetch: AuthFetch; signal: AbortSignal },
): Promise<Response> {
  const url = parseSecureUrl(server.registration_endpoint ?? "", "the registration endpoint");
  const headers = { "content-type": "application/json", accept: "application/json" };
  return fetch(url.href, { method: "POST", headers, body: JSON.stringify(metadata), signal });
}

export async function processRegistrationResponse(
  response: Response,
  { issuer, redirectUrl }: { issuer: string; redirectUrl: string },
): Promise<Registration> {
  const body: unknown = await response.json().catch(() => undefined);
  // RFC 7591 requires 201; some servers return 200.
  if (response.status !== 200 && response.status !== 201) throw refused(body, response.status, { issuer, redirectUrl });
  const clientId = isJsonObject(body) ? body.client_id : undefined;
  if (!isJsonObject(body) || typeof clientId !== "string" || clientId === "") {
    const message = `the authorization server ${issuer} registered a client without a client_id; give it one in advance`;
    throw new AuthorizationError("invalid_answer", message, { issuer, status: response.status });
  }
  const { client_secret, client_secret_expires_at, token_endpoint_auth_method } = body;
  return {
    clientId,
    redirectUrl,
    ...(typeof client_secret === "string" && client_secret !== "" ? { clientSecret: client_secret } : {}),
    ...(typeof token_endpoint_auth_method === "string" ? { authMethod: token_endpoint_auth_method } : {}),
    // 0 means never.
    ...(isPositive(client_secret_expires_at) ? { expiresAt: client_secret_expires_at * 1000 } : {}),
  };
}

/** True for a client that was registered on demand rather than configured by the host. */
export function isRegistration(client: OAuthClient): client is Registration {
  return "redirectUrl" in client;
}

/** Parses a stored registration. Undefined if it is malformed, expired or for another redirect URL. */
export function parseRegistration(value: JsonObject | undefined, redirectUrl: string): Registration | undefined {
  if (typeof value?.clientId !== "string" || value.redirectUrl !== redirectUrl) return undefined;
  return isPositive(value.expiresAt) && value.expiresAt <= Date.now() ? undefined : (value as unknown as Registration);
}

function refused(
  body: unknown,
  status: number,
  { issuer, redirectUrl }: { issuer: string; redirectUrl: string },
): AuthorizationError {
  const { error, error_description: description }: JsonObject = isJsonObject(body) ? body : {};
  const oauthError = typeof error === "string" ? error : undefined;
  const why = [oauthError, description].filter((text) => typeof text === "string").map(quoteOf);
  const advice =
    oauthError === "invalid_redirect_uri"
      ? `it does not accept the redirect URL ${redirectUrl}: use one that it does`
      : "register a client there by hand and give its id";
  const message = `the authorization server ${issuer} refused to register this client (${[`status ${status}`, ...why].join(", ")}); ${advice}`;
  return new AuthorizationError("registration_refused", message, { issuer, status, oauthError });
}

function isPositive(value: unknown): value is number {
  return typeof value === "number" && value > 0;
}
