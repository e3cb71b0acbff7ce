// Connects to a server of a legacy revision over Streamable HTTP or HTTP+SSE.

import { checkOptions, type Implementation, type KnownOptions, pickOptions } from "@lethe/protocol";
import { orGivenUp } from "../call/cancel-signal.ts";
import type { Connection } from "../call/connection.ts";
import type { MessageWire } from "../call/message-wire.ts";
import type { HttpSend } from "../http/http-send.ts";
import { connectLegacy } from "./connect-legacy.ts";
import { type HttpSseOptions, knownHttpSseOptions, openHttpSse } from "./http-sse.ts";
import {
  knownLegacyOptions,
  knownSharedLegacyOptions,
  type LegacyOptions,
  type SharedLegacyOptions,
} from "./legacy-connection.ts";
import { StreamableHttpWire } from "./streamable-http.ts";

/** The address of a legacy server, and how to reach it. */
export interface LegacyHttpTarget {
  /** The endpoint of the server. */
  readonly url: URL;
  /** Sends the requests: `createFetchSend(…)`, or `createNodeSend(…).send` on Node. */
  readonly send: HttpSend;
}

/** Options of a connection to a legacy server over HTTP. */
export interface LegacyHttpOptions extends HttpSseOptions, SharedLegacyOptions {
  /** Default: the name "anonymous", because a handshake needs one. */
  clientInfo?: Implementation;
  /**
   * When to open the GET stream of Streamable HTTP: "always", or only where the server gave a session id, as several SDKs do.
   * Default "always".
   */
  getStream?: "always" | "in-session";
}

const knownLegacyHttpOptions: KnownOptions<LegacyHttpOptions> = {
  ...knownHttpSseOptions,
  ...knownSharedLegacyOptions,
  clientInfo: true,
  getStream: true,
};

/**
 * Connects to a legacy server over Streamable HTTP. `connectTimeoutMs` limits the handshake, 30,000 ms by default. Rejects with McpError or
 * TransportError.
 *
 * @example
 * import { createFetchSend } from "@lethe/client";
 * import { connectStreamableHttp } from "@lethe/client/edge";
 * import { createServer } from "@lethe/server";
 * import { serve } from "@lethe/server/node";
 *
 * const serving = await serve(createServer({ name: "hello", version: "1.0.0" }), { port: 0 });
 * const target = { url: new URL(serving.url), send: createFetchSend() };
 * const connection = await connectStreamableHttp(target, { connectTimeoutMs: 5_000 });
 * console.log(connection.revision); // 2025-11-25
 * await connection.close();
 * await serving.close();
 */
export async function connectStreamableHttp(
  target: LegacyHttpTarget,
  options: LegacyHttpOptions = {},
): Promise<Connection> {
  checkOptions("connectStreamableHttp", options, knownLegacyHttpOptions);
  return connectOver(new StreamableHttpWire(target.url, target.send, options), options);
}

/**
 * Connects to a legacy server over HTTP+SSE of revision 2024-11-05. `connectTimeoutMs` limits the wait for the endpoint of the server and the
 * handshake, 30,000 ms each by default. Rejects with McpError or TransportError.
 *
 * @example
 * import { createFetchSend } from "@lethe/client";
 * import { connectHttpSse } from "@lethe/client/edge";
 * import { createServer } from "@lethe/server";
 * import { serve } from "@lethe/server/node";
 *
 * const serving = await serve(createServer({ name: "hello", version: "1.0.0" }), { port: 0 });
 * const target = { url: new URL("/sse", serving.url), send: createFetchSend() };
 * const connection = await connectHttpSse(target, { connectTimeoutMs: 5_000 });
 * console.log(connection.revision); // 2025-11-25
 * await connection.close();
 * await serving.close();
 */
export async function connectHttpSse(target: LegacyHttpTarget, options: LegacyHttpOptions = {}): Promise<Connection> {
  checkOptions("connectHttpSse", options, knownLegacyHttpOptions);
  return connectOver(await openHttpSse(target.url, target.send, options), options);
}

async function connectOver(wire: MessageWire, options: LegacyHttpOptions): Promise<Connection> {
  const { clientInfo = { name: "anonymous", version: "0" }, connectTimeoutMs: initializeTimeoutMs = 30_000 } = options;
  try {
    const shared = pickOptions<LegacyOptions>({ ...options, clientInfo, initializeTimeoutMs }, knownLegacyOptions);
    const connecting = connectLegacy(wire, shared);
    return await orGivenUp(`connecting to ${wire.peer}`, connecting, options.signal);
  } catch (error) {
    await wire.close();
    throw error;
  }
}
