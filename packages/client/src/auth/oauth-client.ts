// An OAuth client and how it authenticates at a token endpoint (G-34).
import type { KnownOptions } from "@lethe/protocol";
import type { JWK } from "jose";
import type { AuthorizationServer, ClientAuth, CryptoKey } from "oauth4webapi";
import { AuthorizationError } from "./authorization-error.ts";

/** A client at an authorization server, and how it authenticates. */
export interface OAuthClient {
  /** The id that the authorization server knows. */
  readonly clientId: string;
  /** The secret. Absent for a public client, or with `privateKey`. */
  readonly clientSecret?: string;
  /** Signs assertions instead of sending a secret (private_key_jwt). */
  readonly privateKey?: ClientKey;
  /** The registered method, for example "client_secret_post". Default: the strongest one that both sides support. */
  readonly authMethod?: string;
}

/** A client that the host configures. */
export interface GivenClient extends OAuthClient {
  // G-33
  /**
   * The issuer of the authorization server that the client is registered with. No other one is contacted or receives
   * the secret. Default: the first one that the server names, which is recorded in the store and reported as a warning.
   */
  readonly issuer?: string;
}

/** None or one. */
export function issuerOf(client: GivenClient | undefined): readonly string[] {
  return client?.issuer === undefined ? [] : [client.issuer];
}

/** A private key for signed assertions. */
export interface ClientKey {
  /** PKCS #8 in PEM, a JWK, or a CryptoKey for signing. */
  readonly key: string | JWK | CryptoKey;
  /** For example "ES256". Required for PEM; a JWK or CryptoKey contains it. */
  readonly algorithm?: string;
  /** The `kid` of the key in the JWKS of the client. Default: assertions name no key. */
  readonly keyId?: string;
}

export const knownClientKey: KnownOptions<ClientKey> = { key: "a value", algorithm: true, keyId: true };

export const knownOAuthClient: KnownOptions<OAuthClient> = {
  clientId: "a string",
  clientSecret: true,
  privateKey: knownClientKey,
  authMethod: true,
};

export const knownGivenClient: KnownOptions<GivenClient> = { ...knownOAuthClient, issuer: true };

type AuthMethod = "private_key_jwt" | "client_secret_basic" | "client_secret_post" | "none";

export async function createClientAuth(server: AuthorizationServer, client: OAuthClient): Promise<ClientAuth> {
  const { ClientSecretPost, None, PrivateKeyJwt } = await import("oauth4webapi");
  const method = selectAuthMethod(server, client);
  const { clientSecret, privateKey } = client;
  if (method === "private_key_jwt" && privateKey) {
    const { keyId } = privateKey;
    const key = await importClientKey({ ...client, privateKey });
    return PrivateKeyJwt(keyId === undefined ? { key } : { key, kid: keyId });
  }
  if (method === "client_secret_basic" && clientSecret !== undefined) return basicAuth(clientSecret);
  if (method === "client_secret_post" && clientSecret !== undefined) return ClientSecretPost(clientSecret);
  return None();
}

/** The library encodes "-" and "." as %2D and %2E. That is legal, but many servers do not decode it. */
function basicAuth(clientSecret: string): ClientAuth {
  return (_server, { client_id }, _body, headers) => {
    headers.set("authorization", `Basic ${btoa(`${toFormText(client_id)}:${toFormText(clientSecret)}`)}`);
  };
}

/** RFC 6749 section 2.3.1: encodes a form value. */
function toFormText(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}

/** Throws AuthorizationError "unsupported" if the server accepts none of the available methods. */
export function selectAuthMethod(server: AuthorizationServer, client: OAuthClient): AuthMethod {
  const able = methodsOf(client);
  const registered = able.find((method) => method === client.authMethod);
  if (registered) return registered;
  // RFC 8414: the default is client_secret_basic. A public client has no credentials to send anyway.
  const supported = server.token_endpoint_auth_methods_supported;
  const method = supported ? able.find((name) => supported.includes(name)) : able[0];
  if (method) return method;
  const message = `the authorization server ${server.issuer} wants clients to use ${supported?.join(" or ")}, which client ${client.clientId} has no means for; give it what it needs`;
  throw new AuthorizationError("unsupported", message, { issuer: server.issuer });
}

/** Strongest first. */
function methodsOf({ privateKey, clientSecret }: OAuthClient): AuthMethod[] {
  const methods: AuthMethod[] = [];
  if (privateKey) methods.push("private_key_jwt");
  if (clientSecret !== undefined) methods.push("client_secret_basic", "client_secret_post");
  methods.push("none");
  return methods;
}

async function importClientKey({ clientId, privateKey: { key, algorithm } }: KeyedClient): Promise<CryptoKey> {
  if (typeof key !== "string" && !isJwk(key)) return key;
  const { importJWK, importPKCS8 } = await import("jose");
  try {
    return typeof key === "string"
      ? await importPKCS8(key, algorithm ?? "ES256")
      : ((await importJWK(key, algorithm)) as CryptoKey);
  } catch {
    const message = `the private key of client ${clientId} cannot be read: give PKCS #8 in PEM, or a JWK, and its algorithm`;
    throw new AuthorizationError("unsupported", message);
  }
}

type KeyedClient = OAuthClient & { readonly privateKey: ClientKey };

function isJwk(key: JWK | CryptoKey): key is JWK {
  return "kty" in key;
}
