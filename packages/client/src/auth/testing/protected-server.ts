// An MCP server of 2026-07-28 over node:http that wants a token of an authorization server, and knows what is in it.
import type { IncomingMessage } from "node:http";
import type { JsonObject } from "@lethe/protocol";
import { decodeJwt } from "jose";
import type { AuthorizationServer, IssuedToken } from "./authorization-server.ts";
import { listen, type Reply } from "./reply.ts";

export interface ProtectedServer {
  readonly url: URL;
  /** May be changed while it runs. */
  readonly options: ProtectedServerOptions;
  /** The MCP requests that came, with the token in their headers. */
  readonly requests: { readonly method: string; readonly headers: IncomingMessage["headers"] }[];
  /** The paths of metadata that were asked for. */
  readonly metadataRequests: string[];
  /** Refuses every token that was given out so far. */
  revokeAll(): void;
  close(): Promise<void>;
}

export interface ProtectedServerOptions {
  /** Takes tokens of these, and names them; the first is trusted. */
  servers: readonly AuthorizationServer[];
  /** False serves none. Default "path". */
  metadataAt?: "path" | "root" | false;
  metadata?: JsonObject;
  /** The parameters of a challenge. Default: resource_metadata. */
  challenge?: string;
  scheme?: string;
  /** What an operation takes; the challenge asks for all of it. */
  scopesFor?: (method: string, name: unknown) => readonly string[];
  /** The nonce that DPoP proofs must hold. */
  nonce?: string;
}

export async function startProtectedServer(options: ProtectedServerOptions): Promise<ProtectedServer> {
  const requests: ProtectedServer["requests"] = [];
  const metadataRequests: string[] = [];
  const refused = new Set<string>();
  const seen = new Set<string>();

  const { origin, close } = await listen(({ pathname }, request, text) => {
    if (pathname.startsWith("/.well-known/oauth-protected-resource")) return metadata(pathname);
    return pathname === "/mcp" ? serve(JSON.parse(text), request) : notFound;
  });

  function metadata(path: string): Reply {
    metadataRequests.push(path);
    const { metadataAt = "path", servers } = options;
    const served = metadataAt === "path" ? "/mcp" : "";
    if (metadataAt === false || path !== `/.well-known/oauth-protected-resource${served}`) return notFound;
    const body = {
      resource: `${origin}/mcp`,
      authorization_servers: servers.map(({ issuer }) => issuer),
      ...options.metadata,
    };
    return { status: 200, body };
  }

  function serve(message: JsonObject, { headers }: IncomingMessage): Reply {
    const { id, method, params } = message as { id: number; method: string; params: JsonObject };
    requests.push({ method, headers });
    const { scheme = "Bearer", challenge = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"` } =
      options;
    const token = tokenOf(headers.authorization);
    if (!token) return refuse(401, `${scheme} ${challenge}`);
    const { dpop } = headers as { dpop?: string };
    if (options.nonce !== undefined && (dpop === undefined || decodeJwt(dpop).nonce !== options.nonce)) {
      return refuse(401, `DPoP error="use_dpop_nonce", ${challenge}`, { "dpop-nonce": options.nonce });
    }
    const needed = options.scopesFor?.(method, params.name) ?? [];
    if (!needed.every((scope) => token.scopes.includes(scope))) {
      const scope = needed.join(" ");
      return refuse(403, `${scheme} error="insufficient_scope", scope="${scope}", ${challenge}`);
    }
    return { status: 200, body: { jsonrpc: "2.0", id, result: { resultType: "complete", ...resultOf(method) } } };
  }

  function tokenOf(authorization: string | undefined): IssuedToken | undefined {
    const accessToken = authorization?.split(" ")[1] ?? "";
    if (accessToken !== "") seen.add(accessToken);
    if (refused.has(accessToken)) return undefined;
    return options.servers[0]?.tokenOf(accessToken);
  }

  return {
    url: new URL(`${origin}/mcp`),
    options,
    requests,
    metadataRequests,
    revokeAll() {
      for (const token of seen) refused.add(token);
    },
    close,
  };
}

function resultOf(method: string): JsonObject {
  const hints = { ttlMs: 0, cacheScope: "private" };
  if (method === "server/discover") return { supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, ...hints };
  if (method === "tools/list") return { tools: [], ...hints };
  return { content: [{ type: "text", text: "in" }] };
}

function refuse(status: number, challenge: string, headers: Record<string, string> = {}): Reply {
  return { status, body: { error: "no" }, headers: { "www-authenticate": challenge, ...headers } };
}

const notFound: Reply = { status: 404 };
