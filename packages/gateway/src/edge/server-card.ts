// The server card of an endpoint (SEP-2127), at `/server-card` below it. Clients read it before they connect. It contains no
// tools and no upstream names.
import { modernRevisions } from "@lethe/protocol";
import type { Route } from "@lethe/server/edge";
import type { GatewaySettings } from "../config/schema/settings.ts";
import { gatewayInfo } from "../upstreams/connection/own-request.ts";

export const cardStep: string = "/server-card";
const mediaType = "application/mcp-server-card+json";

export interface CardOptions {
  /** The path of the endpoint. */
  path: string;
  /** The path of the merged endpoint. */
  basePath: string;
  settings: GatewaySettings;
}

export function createCardRoute({ path, basePath, settings }: CardOptions): Route {
  const { publicUrl } = settings;
  return {
    // Without `publicUrl`, the card repeats the Host header, so the Host check must apply.
    isPublic: publicUrl !== undefined,
    respond({ verb, headers }) {
      if (verb !== "GET" && verb !== "HEAD" && verb !== "OPTIONS") {
        return { status: 405, headers: { Allow: "GET, HEAD, OPTIONS" }, body: "" };
      }
      const url = (publicUrl ?? `http://${headers("host")}${basePath}`) + path.slice(basePath.length);
      const access = publicUrl === undefined ? { "Cache-Control": "no-store" } : publicHeaders;
      if (verb === "OPTIONS") return { status: 204, headers: access, body: "" };
      const card = toCard(url, path.slice(basePath.length + 1), settings);
      return { status: 200, headers: { "Content-Type": mediaType, ...access }, body: JSON.stringify(card) };
    },
  };
}

const publicHeaders = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Methods": "GET",
  "Access-Control-Allow-Headers": "Content-Type",
  "Cache-Control": "public, max-age=3600",
};

function toCard(url: string, upstream: string, { card = {} }: GatewaySettings): object {
  const { name = nameOf(url), ...texts } = card;
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
    name: upstream === "" ? name : `${name}.${upstream}`,
    version: gatewayInfo.version,
    description: "MCP servers behind one stateless endpoint",
    ...texts,
    remotes: [{ type: "streamable-http", url, supportedProtocolVersions: [...modernRevisions] }],
  };
}

/** Converts `mcp.example.com` to `com.example.mcp/gateway`. */
function nameOf(url: string): string {
  const { hostname } = new URL(url);
  const isName = /^[a-z0-9.-]+$/i.test(hostname) && !/^[\d.]+$/.test(hostname);
  return `${isName ? hostname.split(".").reverse().join(".") : "local"}/gateway`;
}
