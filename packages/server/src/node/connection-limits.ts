// The limits of a listening server on its connections, before a request exists.

import type { Server, ServerOptions } from "node:http";
import type { KnownOptions } from "@lethe/protocol";
import { servingDefaults } from "../http/serving-defaults.ts";

/** Limits of the connections of a listener. Times are in ms, sizes in bytes. */
export interface ConnectionLimits {
  /** Open connections. More are closed immediately. Default 16,384. */
  maxConnections?: number;
  /** Called for each connection that exceeds `maxConnections`. */
  onConnectionRefused?: (() => void) | undefined;
  /**
   * How long a connection may take to send the head of a request. Slower connections get 408 and are closed. Checked every 5 s at
   * most. `bodyTimeoutMs` limits the body. Default 10,000 ms.
   */
  headerTimeoutMs?: number;
  /**
   * How long an idle connection stays open, and up to a quarter longer. Must be longer than the idle time-out of a load balancer in front, because the side that
   * reuses connections has to close them first. Default 75,000 ms.
   */
  idleTimeoutMs?: number;
  /** Bytes of the request line and all headers. A larger head gets 431. Default 16 KiB. */
  maxHeaderBytes?: number;
}

export const knownConnectionLimits: KnownOptions<ConnectionLimits> = {
  maxConnections: true,
  onConnectionRefused: true,
  headerTimeoutMs: true,
  idleTimeoutMs: true,
  maxHeaderBytes: true,
};

const checkMs = 5_000;

/** `bodyTimeoutMs` is the limit of the HTTP edge, which answers first. Node's own limit covers requests that never reach the edge. */
export function toServerOptions(limits: ConnectionLimits, bodyTimeoutMs: number): ServerOptions {
  const { headerTimeoutMs = servingDefaults.headerTimeoutMs, maxHeaderBytes = servingDefaults.maxHeaderBytes } = limits;
  return {
    headersTimeout: headerTimeoutMs,
    requestTimeout: headerTimeoutMs + bodyTimeoutMs + 2 * checkMs,
    connectionsCheckingInterval: Math.max(1, Math.min(checkMs, Math.ceil(headerTimeoutMs / 2))),
    // IdleConnections closes them.
    keepAliveTimeout: 0,
    maxHeaderSize: maxHeaderBytes,
  };
}

export function limitConnections(server: Server, limits: ConnectionLimits): void {
  const { maxConnections = servingDefaults.maxConnections, onConnectionRefused } = limits;
  server.maxConnections = maxConnections;
  if (onConnectionRefused) server.on("drop", onConnectionRefused);
}
