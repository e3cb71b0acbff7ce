// The limits of a listening server on connections, and on what a peer may do before a request exists.
import type { Server, ServerOptions } from "node:http";

export interface ConnectionLimits {
  /** Connections open at a time; further ones are closed at once. Default 16,384. */
  maxConnections?: number;
  /** Called for each connection that exceeds `maxConnections`. */
  onConnectionRefused?: (() => void) | undefined;
  /**
   * How long a connection may take to send the head of a request, the first one included; then it gets 408 and is closed.
   * Checked every 5 s. Default 10,000 ms. `bodyTimeoutMs` limits the body.
   */
  headerTimeoutMs?: number;
  /**
   * How long a connection without a request stays open. Default 75,000 ms: longer than that of common load balancers, since
   * the side that reuses a connection must be the first to close it.
   */
  idleTimeoutMs?: number;
  /** The request line and all headers together; a larger head gets 431. Default 16 KiB. */
  maxHeaderBytes?: number;
}

const checkMs = 5_000;

/** `bodyTimeoutMs` is the one of the HTTP edge, which answers first: Node's own limit covers a request that never reaches it. */
export function toServerOptions(limits: ConnectionLimits, bodyTimeoutMs: number): ServerOptions {
  const { headerTimeoutMs = 10_000, idleTimeoutMs = 75_000, maxHeaderBytes = 16 * 1024 } = limits;
  return {
    headersTimeout: headerTimeoutMs,
    requestTimeout: headerTimeoutMs + bodyTimeoutMs + 2 * checkMs,
    connectionsCheckingInterval: Math.max(1, Math.min(checkMs, Math.ceil(headerTimeoutMs / 2))),
    keepAliveTimeout: idleTimeoutMs,
    maxHeaderSize: maxHeaderBytes,
  };
}

export function limitConnections(server: Server, limits: ConnectionLimits): void {
  const { maxConnections = 16_384, onConnectionRefused } = limits;
  server.maxConnections = maxConnections;
  if (onConnectionRefused) server.on("drop", onConnectionRefused);
}
