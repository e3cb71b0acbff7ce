// Defaults of serving over HTTP, which gateways and other edges share.

/** The type of `servingDefaults`. Times are in ms, sizes in bytes. */
export interface ServingDefaults {
  /** Requests that are being authenticated or whose body is arriving. */
  readonly maxReceivingRequests: number;
  /** Requests that run concurrently, without streams. */
  readonly maxConcurrentRequests: number;
  /** Open subscriptions and GET streams. */
  readonly maxStreams: number;
  /** Size of a request body. */
  readonly maxBodyBytes: number;
  /** How long a request body may take to arrive. */
  readonly bodyTimeoutMs: number;
  /** How long a request may run without a result or a notification. */
  readonly requestTimeoutMs: number;
  /** Open connections. */
  readonly maxConnections: number;
  /** How long the head of a request may take to arrive. */
  readonly headerTimeoutMs: number;
  /** How long a connection without a request stays open. */
  readonly idleTimeoutMs: number;
  /** Size of the request line and all headers. */
  readonly maxHeaderBytes: number;
}

/**
 * The defaults of `HttpOptions` and of the limits of connections, for edges that describe or derive from them.
 *
 * @example
 * import { servingDefaults } from "@lethe/server/edge";
 *
 * console.log(servingDefaults.maxReceivingRequests); // 1000
 */
export const servingDefaults: ServingDefaults = {
  maxReceivingRequests: 1_000,
  maxConcurrentRequests: 1_000,
  maxStreams: 10_000,
  maxBodyBytes: 4 * 1024 * 1024,
  bodyTimeoutMs: 30_000,
  requestTimeoutMs: 600_000,
  maxConnections: 16_384,
  headerTimeoutMs: 10_000,
  idleTimeoutMs: 75_000,
  maxHeaderBytes: 16 * 1024,
};
