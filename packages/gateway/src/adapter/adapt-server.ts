// Serves a server of the official SDK through the edges of Lethe, without a change of its code.
import { checkOptions, type Dispatch, isJsonObject, type KnownOptions, nameOf } from "@lethe/protocol";
import type { Authenticator } from "@lethe/server/auth";
import { createLegacyEdge, type Servable } from "@lethe/server/edge";
import { createKeyRing, keysFromEnvironment, type LegacyOptions, type SealKey } from "@lethe/server/stores";
import { knownSessionSettings } from "../config/schema/known-settings.ts";
import type { SessionSettings } from "../config/schema/settings.ts";
import type { MemoryUpstream } from "../config/upstream-config.ts";
import { createGateway } from "../edge/create-gateway.ts";
import { basePath } from "../edge/endpoints/endpoint.ts";
import { gatewayInfo } from "../upstreams/connection/own-request.ts";
import { connectMemoryWire, type OfficialServer } from "./memory-wire.ts";

/** Options of `adaptServer`. */
export interface AdaptOptions {
  /** Authenticates HTTP requests. Default: all callers are anonymous and share one session. */
  auth?: Authenticator;
  /** Limits of the sessions that a function creates: their number, idle time and lifetime. */
  sessions?: SessionSettings;
  /** Keys that seal the state which callers carry. Default: `LETHE_KEYS` of the environment, else a key of this process. */
  keys?: string | readonly SealKey[];
  /** How clients of older revisions are served. Default: all revisions, in sealed sessions. */
  legacy?: LegacyOptions;
}

const knownAdaptOptions: KnownOptions<AdaptOptions> = {
  auth: true,
  sessions: knownSessionSettings,
  keys: { id: "a string", key: "a string" },
  legacy: true,
};

/**
 * Serves a server object of the official SDK (v1 or v2) to clients of every revision, over every transport of `@lethe/server`. Its
 * elicitation, sampling and roots requests become `input_required` results for clients of 2026-07-28, and the tool runs once.
 *
 * Pass a function if the server keeps state between the calls of a client: each authenticated caller then gets a server object of its own.
 * An object serves all callers, as it is. A pending call needs its process, so processes behind a load balancer need sticky connections, or
 * the gateway.
 *
 * @example
 * import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
 * import { serve } from "@lethe/server/node";
 * import { adaptServer } from "lethe/gateway";
 *
 * const official = new McpServer({ name: "hello", version: "1.0.0" });
 * official.registerTool("greet", { description: "Greets" }, () => ({ content: [{ type: "text", text: "Hello!" }] }));
 *
 * const { url, close } = await serve(adaptServer(official), { port: 0 });
 * console.log(new URL(url).pathname); // /mcp
 * await close();
 */
export function adaptServer(
  server: OfficialServer | (() => OfficialServer | Promise<OfficialServer>),
  options: AdaptOptions = {},
): Servable {
  checkOptions("adaptServer", options, knownAdaptOptions);
  const { auth, sessions, legacy } = options;
  if (legacy !== undefined && !isJsonObject(legacy)) {
    throw new Error(`adaptServer: legacy: an object such as { sessions: "off" } expected, got ${nameOf(legacy)}`);
  }
  const keys = options.keys ?? keysFromEnvironment();
  const upstream: MemoryUpstream = {
    ...{ kind: "memory", name: "server", prefix: "", sharing: typeof server === "function" ? "session" : "shared" },
    ...(sessions && { sessions }),
    open: async () => connectMemoryWire("server", typeof server === "function" ? await server() : server),
  };
  const served = { dispatch: forward, info: gatewayInfo, ring: createKeyRing(keys) };
  // Errors come before the gateway, which would keep running.
  const legacyEdge = createLegacy(served, { awaitTasks: true, ...legacy });
  if (typeof server !== "function" && typeof (server as Partial<OfficialServer> | null)?.connect !== "function") {
    throw new Error(
      `adaptServer: a server object of the official SDK, or a function that creates one, expected, got ${nameOf(server)}`,
    );
  }
  const gateway = createGateway({ upstreams: [upstream], settings: { probe: false } }, { ...(keys && { keys }) });
  const endpoint = gateway.endpointAt(basePath);
  if (!endpoint) throw new Error("the gateway has no merged endpoint");
  const { dispatch } = endpoint.servable;
  function forward(...call: Parameters<Dispatch>): ReturnType<Dispatch> {
    return dispatch(...call);
  }
  return {
    ...{ dispatch, info: gatewayInfo },
    ...(auth && { authenticator: auth }),
    legacy: legacyEdge,
    close: () => gateway.close(),
  };
}

/** An error names the option of `adaptServer`. */
function createLegacy(...[served, options]: Parameters<typeof createLegacyEdge>): ReturnType<typeof createLegacyEdge> {
  try {
    return createLegacyEdge(served, options);
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`adaptServer: ${message.replace(/^createLegacyEdge/, "legacy")}`, { cause: error });
  }
}
