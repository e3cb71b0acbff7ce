// The options of the HTTP edges and their defaults: every bound is on unless somebody turns it off.
import type { Sender } from "../auth/sender.ts";
import { type ErrorReport, toErrorReport } from "./error-report.ts";
import type { RouteLookup } from "./route.ts";

export interface HttpOptions {
  /** The one path that is served; others answer 404. Default: every path, a router in front has chosen. */
  path?: string | undefined;
  /** Larger bodies answer 413 unread (B-10). Default 4 MiB. */
  maxBodyBytes?: number;
  /** A body that takes longer answers 408; over node:http, a client that takes none of its answer for so long is cut off. Default 30,000 ms. */
  bodyTimeoutMs?: number;
  /**
   * A request that has neither a result nor sent a notification for so long is aborted and answers -32603; a
   * subscription never is (E-18). Default 600,000 ms; 0 turns it off.
   */
  requestTimeoutMs?: number;
  /** More requests at a time, subscriptions not counted, answer 503. Default 1,000. */
  maxConcurrentRequests?: number;
  /** More subscriptions at a time answer 503. Default 10,000. */
  maxStreams?: number;
  /** What a stream holds for a peer that reads slowly; notifications beyond are dropped. Default 1 MiB. */
  maxBufferedBytes?: number;
  /** The longest silence on an open stream before a comment is sent (B-18). Default 15,000 ms. */
  keepAliveMs?: number;
  /**
   * Host names (any port) or `name:port` that a request may name in `Host`; others answer 403 (B-3). Default: on a
   * loopback connection `localhost`, `127.0.0.1` and `[::1]`, else any.
   */
  allowedHosts?: readonly string[] | "any";
  /**
   * Origins (`https://app.example`) of web pages that may call; others answer 403 (B-2). The own host and, for a
   * loopback server, every loopback page are allowed without being named.
   */
  allowedOrigins?: readonly string[] | "any";
  /** Answer preflights and send CORS headers to allowed origins (J-46). Default true. */
  cors?: boolean;
  /** Asked for every path that leads to no server. Default: all of them answer 404. */
  routes?: RouteLookup | undefined;
  /** Gets what a Dispatch threw that no caller may see. Default: console.error. */
  onError?: ErrorReport;
  /** Told why a request was turned away for its `Host` or `Origin`: often a name that is missing in the options above. */
  onRefused?: ((reason: string, sender: Sender) => void) | undefined;
}

/** HttpOptions with every default filled in. */
export interface HttpSettings extends Required<Omit<HttpOptions, "path" | "allowedHosts" | "routes" | "onRefused">> {
  readonly path: string | undefined;
  readonly routes: RouteLookup | undefined;
  readonly allowedHosts: readonly string[] | "any" | undefined;
  readonly onRefused: ((reason: string, sender: Sender) => void) | undefined;
}

export function fillHttpOptions(options: HttpOptions): HttpSettings {
  return {
    path: options.path,
    maxBodyBytes: options.maxBodyBytes ?? 4 * 1024 * 1024,
    bodyTimeoutMs: options.bodyTimeoutMs ?? 30_000,
    requestTimeoutMs: options.requestTimeoutMs ?? 600_000,
    maxConcurrentRequests: options.maxConcurrentRequests ?? 1_000,
    maxStreams: options.maxStreams ?? 10_000,
    maxBufferedBytes: options.maxBufferedBytes ?? 1024 * 1024,
    keepAliveMs: options.keepAliveMs ?? 15_000,
    allowedHosts: options.allowedHosts,
    allowedOrigins: options.allowedOrigins ?? [],
    cors: options.cors ?? true,
    routes: options.routes,
    onError: toErrorReport(options.onError),
    onRefused: options.onRefused,
  };
}
