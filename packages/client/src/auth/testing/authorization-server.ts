// An authorization server over node:http: metadata, registration, a user who says yes at once, tokens, rotating refresh tokens.
import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { JsonObject } from "@lethe/protocol";
import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader, type JWK } from "jose";
import { listen, type Reply } from "./reply.ts";

export interface IssuedToken {
  readonly scopes: readonly string[];
  readonly resource: string | null;
  /** The thumbprint of the key that it is bound to. */
  readonly jkt?: string;
}

export interface TokenRequest {
  readonly form: URLSearchParams;
  readonly authorization: string | undefined;
}

export interface AuthorizationServer {
  readonly issuer: string;
  /** May be changed while it runs. */
  readonly options: AuthorizationServerOptions;
  readonly registrations: JsonObject[];
  /** The queries of the authorization endpoint. */
  readonly authorizations: URLSearchParams[];
  readonly tokenRequests: TokenRequest[];
  readonly metadataRequests: string[];
  /** Refresh tokens that were shown a second time. */
  readonly replays: string[];
  tokenOf(accessToken: string): IssuedToken | undefined;
  /** What a browser would do with the authorization URL: where it ends up. */
  follow(url: URL): Promise<URL>;
  close(): Promise<void>;
}

export interface AuthorizationServerOptions {
  /** Of the issuer. Default none. */
  path?: string;
  /** Which of the well-known documents is served. Default "oauth". */
  document?: "oauth" | "oauth-below-path" | "openid" | "none";
  metadata?: JsonObject;
  /** What the redirect back holds besides the code and the state. Default: iss. */
  redirectParams?: Record<string, string>;
  expiresIn?: number;
  /** Answers a token request in place of the server. */
  answerToken?: (request: TokenRequest) => Reply | undefined;
  answerRegistration?: () => Reply | undefined;
  /** The nonce that DPoP proofs must hold. */
  nonce?: string;
  givesRefreshTokens?: boolean;
}

export async function startAuthorizationServer(options: AuthorizationServerOptions = {}): Promise<AuthorizationServer> {
  const registrations: JsonObject[] = [];
  const authorizations: URLSearchParams[] = [];
  const tokenRequests: TokenRequest[] = [];
  const metadataRequests: string[] = [];
  const replays: string[] = [];
  const tokens = new Map<string, IssuedToken>();
  const codes = new Map<string, URLSearchParams>();
  const refreshTokens = new Map<string, IssuedToken | "used">();
  let lastClient = 0;

  const { origin, close } = await listen((url, request, text) => {
    if (url.pathname.includes("/.well-known/")) return metadata(url);
    if (url.pathname === `${path}/authorize`) return authorize(url);
    if (url.pathname === `${path}/register`) return register(JSON.parse(text));
    if (url.pathname === `${path}/token`) return token(new URLSearchParams(text), request);
    return notFound;
  });
  const { path = "" } = options;
  const issuer = origin + path;

  function metadata(url: URL): Reply {
    metadataRequests.push(url.pathname);
    const served = {
      oauth: `/.well-known/oauth-authorization-server${path}`,
      "oauth-below-path": `/.well-known/openid-configuration${path}`,
      openid: `${path}/.well-known/openid-configuration`,
      none: undefined,
    }[options.document ?? "oauth"];
    if (url.pathname !== served) return notFound;
    const body = {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      registration_endpoint: `${issuer}/register`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
      authorization_response_iss_parameter_supported: true,
      ...options.metadata,
    };
    return { status: 200, body };
  }

  function register(asked: JsonObject): Reply {
    registrations.push(asked);
    const own = options.answerRegistration?.();
    if (own) return own;
    lastClient += 1;
    return { status: 201, body: { ...asked, client_id: `client-${lastClient}` } };
  }

  function authorize(url: URL): Reply {
    authorizations.push(url.searchParams);
    const code = randomUUID();
    codes.set(code, url.searchParams);
    const back = new URL(url.searchParams.get("redirect_uri") ?? "");
    const params = { code, state: url.searchParams.get("state") ?? "", ...(options.redirectParams ?? { iss: issuer }) };
    for (const [name, value] of Object.entries(params)) back.searchParams.set(name, value);
    return { status: 302, headers: { location: back.href } };
  }

  async function token(form: URLSearchParams, { headers }: IncomingMessage): Promise<Reply> {
    const asked: TokenRequest = { form, authorization: headers.authorization };
    tokenRequests.push(asked);
    const own = options.answerToken?.(asked);
    if (own) return own;
    const { dpop } = headers as { dpop?: string };
    if (options.nonce !== undefined && (dpop === undefined || decodeJwt(dpop).nonce !== options.nonce)) {
      return { status: 400, body: { error: "use_dpop_nonce" }, headers: { "dpop-nonce": options.nonce } };
    }
    const jkt = dpop === undefined ? undefined : await calculateJwkThumbprint(decodeProtectedHeader(dpop).jwk as JWK);
    const granted = grant(form);
    if (!granted) return { status: 400, body: { error: "invalid_grant", error_description: "not yours" } };
    const issued: IssuedToken = jkt === undefined ? granted : { ...granted, jkt };
    const accessToken = randomUUID();
    const refreshToken = randomUUID();
    tokens.set(accessToken, issued);
    refreshTokens.set(refreshToken, granted);
    const body = {
      access_token: accessToken,
      token_type: jkt === undefined ? "Bearer" : "DPoP",
      expires_in: options.expiresIn ?? 3600,
      scope: issued.scopes.join(" "),
      ...(options.givesRefreshTokens === false ? {} : { refresh_token: refreshToken }),
    };
    return { status: 200, body };
  }

  function grant(form: URLSearchParams): IssuedToken | undefined {
    const scopes = form.get("scope")?.split(" ") ?? [];
    const resource = form.get("resource");
    if (form.get("grant_type") === "refresh_token") {
      const shown = form.get("refresh_token") ?? "";
      const known = refreshTokens.get(shown);
      refreshTokens.set(shown, "used");
      if (known === "used") replays.push(shown);
      return known === "used" ? undefined : known;
    }
    if (form.get("grant_type") !== "authorization_code") return { scopes, resource };
    const asked = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (asked?.get("code_challenge") !== challenge || asked.get("redirect_uri") !== form.get("redirect_uri")) return;
    return { scopes: asked.get("scope")?.split(" ") ?? [], resource };
  }

  return {
    issuer,
    options,
    registrations,
    authorizations,
    tokenRequests,
    metadataRequests,
    replays,
    tokenOf: (accessToken) => tokens.get(accessToken),
    async follow(url) {
      const { headers } = await fetch(url, { redirect: "manual" });
      return new URL(headers.get("location") ?? "");
    },
    close,
  };
}

const notFound: Reply = { status: 404 };
