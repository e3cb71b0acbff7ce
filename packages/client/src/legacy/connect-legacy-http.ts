// Connects to a server of a legacy revision over Streamable HTTP or HTTP+SSE.
import type { Implementation } from "@lethe/protocol";
import { orGivenUp } from "../call/cancel-signal.ts";
import type { Connection } from "../call/connection.ts";
import type { MessageWire } from "../call/message-wire.ts";
import type { HttpSend } from "../http/http-send.ts";
import { connectLegacy, type LegacyOptions } from "./connect-legacy.ts";
import { type HttpSseOptions, openHttpSse } from "./http-sse.ts";
import { StreamableHttpWire } from "./streamable-http.ts";

export interface LegacyHttpTarget {
  readonly url: URL;
  readonly send: HttpSend;
}

type FromLegacy = Omit<LegacyOptions, "clientInfo" | "initializeTimeoutMs" | "timeoutMs" | "maxTotalMs">;

export interface LegacyHttpOptions extends HttpSseOptions, FromLegacy {
  /** Default: the name "anonymous", because a handshake needs one. */
  clientInfo?: Implementation;
  /**
   * When to open the GET stream of Streamable HTTP: "always", or only where the server gave a session id, as several SDKs do.
   * Default "always".
   */
  getStream?: "always" | "in-session";
}

/** Connects over Streamable HTTP. Rejects with McpError or TransportError. */
export function connectStreamableHttp(
  { url, send }: LegacyHttpTarget,
  options: LegacyHttpOptions = {},
): Promise<Connection> {
  return connectOver(new StreamableHttpWire(url, send, options), options);
}

/** Connects over HTTP+SSE of revision 2024-11-05. Rejects with McpError or TransportError. */
export async function connectHttpSse(
  { url, send }: LegacyHttpTarget,
  options: LegacyHttpOptions = {},
): Promise<Connection> {
  return connectOver(await openHttpSse(url, send, options), options);
}

async function connectOver(wire: MessageWire, options: LegacyHttpOptions): Promise<Connection> {
  const { clientInfo = { name: "anonymous", version: "0" }, connectTimeoutMs: initializeTimeoutMs = 30_000 } = options;
  try {
    const connecting = connectLegacy(wire, { ...options, clientInfo, initializeTimeoutMs });
    return await orGivenUp(`connecting to ${wire.peer}`, connecting, options.signal);
  } catch (error) {
    await wire.close();
    throw error;
  }
}
