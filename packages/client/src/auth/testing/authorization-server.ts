// An authorization server over node:http: metadata, registration, a user who says yes at once, tokens, rotating refresh tokens.
import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { JsonObject } from "@lethe/protocol";
import { calculateJwkThumbprint, decodeJwt, decodeProtectedHeader, type JWK } from "jose";
import { type Listening, listen, type Reply } from "./reply.ts";

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
  let server: AuthorizationServer | undefined;
  const listening = await listen((url, request, text) => server?.answer(url, request, text) ?? notFound);
  server = new AuthorizationServer(listening, options);
  return server;
}

export class AuthorizationServer {
  readonly issuer: string;
  /** May be changed while it runs. */
  readonly options: AuthorizationServerOptions;
  readonly close: () => Promise<void>;
  readonly registrations: JsonObject[] = [];
  /** The queries of the authorization endpoint. */
  readonly authorizations: URLSearchParams[] = [];
  readonly tokenRequests: TokenRequest[] = [];
  readonly metadataRequests: string[] = [];
  /** Refresh tokens that were shown a second time. */
  readonly replays: string[] = [];
  readonly #path: string;
  readonly #tokens = new Map<string, IssuedToken>();
  readonly #codes = new Map<string, URLSearchParams>();
  readonly #refreshTokens = new Map<string, IssuedToken | "used">();
  #lastClient = 0;

  constructor({ origin, close }: Listening, options: AuthorizationServerOptions) {
    this.#path = options.path ?? "";
    this.issuer = origin + this.#path;
    this.options = options;
    this.close = close;
  }

  tokenOf(accessToken: string): IssuedToken | undefined {
    return this.#tokens.get(accessToken);
  }

  /** Follows the authorization URL like a browser. Returns the URL of the redirect. */
  async follow(url: URL): Promise<URL> {
    const { headers } = await fetch(url, { redirect: "manual" });
    return new URL(headers.get("location") ?? "");
  }

  answer(url: URL, request: IncomingMessage, text: string): Reply | Promise<Reply> {
    if (url.pathname.includes("/.well-known/")) return this.#metadata(url);
    if (url.pathname === `${this.#path}/authorize`) return this.#authorize(url);
    if (url.pathname === `${this.#path}/register`) return this.#register(JSON.parse(text));
    if (url.pathname === `${this.#path}/token`) return this.#token(new URLSearchParams(text), request);
    return notFound;
  }

  #metadata(url: URL): Reply {
    this.metadataRequests.push(url.pathname);
    const served = {
      oauth: `/.well-known/oauth-authorization-server${this.#path}`,
      "oauth-below-path": `/.well-known/openid-configuration${this.#path}`,
      openid: `${this.#path}/.well-known/openid-configuration`,
      none: undefined,
    }[this.options.document ?? "oauth"];
    if (url.pathname !== served) return notFound;
    const body = {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      registration_endpoint: `${this.issuer}/register`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
      authorization_response_iss_parameter_supported: true,
      ...this.options.metadata,
    };
    return { status: 200, body };
  }

  #register(asked: JsonObject): Reply {
    this.registrations.push(asked);
    const own = this.options.answerRegistration?.();
    if (own) return own;
    this.#lastClient += 1;
    return { status: 201, body: { ...asked, client_id: `client-${this.#lastClient}` } };
  }

  #authorize(url: URL): Reply {
    this.authorizations.push(url.searchParams);
    const code = randomUUID();
    this.#codes.set(code, url.searchParams);
    const back = new URL(url.searchParams.get("redirect_uri") ?? "");
    const params = {
      code,
      state: url.searchParams.get("state") ?? "",
      ...(this.options.redirectParams ?? { iss: this.issuer }),
    };
    for (const [name, value] of Object.entries(params)) back.searchParams.set(name, value);
    return { status: 302, headers: { location: back.href } };
  }

  async #token(form: URLSearchParams, { headers }: IncomingMessage): Promise<Reply> {
    const asked: TokenRequest = { form, authorization: headers.authorization };
    this.tokenRequests.push(asked);
    const own = this.options.answerToken?.(asked);
    if (own) return own;
    const { dpop } = headers as { dpop?: string };
    if (this.options.nonce !== undefined && (dpop === undefined || decodeJwt(dpop).nonce !== this.options.nonce)) {
      return { status: 400, body: { error: "use_dpop_nonce" }, headers: { "dpop-nonce": this.options.nonce } };
    }
    const jkt = dpop === undefined ? undefined : await calculateJwkThumbprint(decodeProtectedHeader(dpop).jwk as JWK);
    const granted = this.#grant(form);
    if (!granted) return { status: 400, body: { error: "invalid_grant", error_description: "not yours" } };
    const issued: IssuedToken = jkt === undefined ? granted : { ...granted, jkt };
    const accessToken = randomUUID();
    const refreshToken = randomUUID();
    this.#tokens.set(accessToken, issued);
    this.#refreshTokens.set(refreshToken, granted);
    const body = {
      access_token: accessToken,
      token_type: jkt === undefined ? "Bearer" : "DPoP",
      expires_in: this.options.expiresIn ?? 3600,
      scope: issued.scopes.join(" "),
      ...(this.options.givesRefreshTokens === false ? {} : { refresh_token: refreshToken }),
    };
    return { status: 200, body };
  }

  #grant(form: URLSearchParams): IssuedToken | undefined {
    const scopes = form.get("scope")?.split(" ") ?? [];
    const resource = form.get("resource");
    if (form.get("grant_type") === "refresh_token") {
      const shown = form.get("refresh_token") ?? "";
      const known = this.#refreshTokens.get(shown);
      this.#refreshTokens.set(shown, "used");
      if (known === "used") this.replays.push(shown);
      return known === "used" ? undefined : known;
    }
    if (form.get("grant_type") !== "authorization_code") return { scopes, resource };
    const asked = this.#codes.get(form.get("code") ?? "");
    this.#codes.delete(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (asked?.get("code_challenge") !== challenge || asked.get("redirect_uri") !== form.get("redirect_uri")) return;
    return { scopes: asked.get("scope")?.split(" ") ?? [], resource };
  }
}

const notFound: Reply = { status: 404 };
