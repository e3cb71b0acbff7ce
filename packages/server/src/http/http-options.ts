// The options of the HTTP edges and their defaults: every bound is on unless somebody turns it off.
import { type MemoryBudget, processMemory } from "@lethe/protocol";
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
  /**
   * Requests that are being authenticated or whose body is arriving, at a time; more answer 503. Default 1,000. They take
   * no slot of `maxConcurrentRequests`, so slow bodies never keep a complete request from running. When all slots are taken, a
   * new request replaces the body that has been arriving for longest, if that took more than 1,000 ms.
   */
  maxReceivingRequests?: number;
  /** The same for one authenticated caller; more answer 429. Default: as many as are free, so at most half of all. */
  maxReceivingPerCaller?: number;
  /**
   * The same for one client address (an IPv6 /64 network) before authentication or without it; more answer 429. Default:
   * four times as many as are free, so at most four fifths of all.
   */
  maxReceivingPerAddress?: number;
  /** Requests that run at a time, streams not counted; more answer 503. Default 1,000. */
  maxConcurrentRequests?: number;
  /** The same for one authenticated caller; more answer 429. Default: as many as are free. */
  maxConcurrentPerCaller?: number;
  /** The same for one client address without authentication; more answer 429. Default: four times as many as are free. */
  maxConcurrentPerAddress?: number;
  /** Open subscriptions and GET streams of older revisions at a time; more answer 503. Default 10,000. */
  maxStreams?: number;
  /** The same for one authenticated caller; more answer 429. Default: as many as are free. */
  maxStreamsPerCaller?: number;
  /** The same for one client address without authentication; more answer 429. Default: four times as many as are free. */
  maxStreamsPerAddress?: number;
  /**
   * IP addresses and CIDR blocks of reverse proxies. For a connection from one of them, the client address is the last
   * entry of `X-Forwarded-For` that is not itself a trusted proxy. Default: none; the header is ignored. Only node:http edges
   * know the address of a connection; see `clientAddress` for the others.
   */
  trustProxy?: readonly string[];
  /**
   * The client address of a `Request`, where the platform knows it, for example `server.requestIP` in Bun. Fetch edges
   * only. Default: unknown; requests without a caller are then limited in total and not per address.
   */
  clientAddress?: ((request: Request) => string | undefined) | undefined;
  /** What a stream holds for a peer that reads slowly; notifications beyond are dropped. Default 1 MiB. */
  maxBufferedBytes?: number;
  /**
   * Counts the bytes held for clients: bodies, and answers that they do not read. Above its soft mark new requests answer 503,
   * above its hard mark the largest are cut off. Default: one for the whole process, of an eighth of the heap limit.
   */
  memory?: MemoryBudget;
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
export interface HttpSettings
  extends Required<Omit<HttpOptions, "path" | "allowedHosts" | "routes" | "onRefused" | PartyLimit>>,
    Readonly<Record<PartyLimit, number | undefined>> {
  readonly path: string | undefined;
  readonly routes: RouteLookup | undefined;
  readonly allowedHosts: readonly string[] | "any" | undefined;
  readonly onRefused: ((reason: string, sender: Sender) => void) | undefined;
}

/** Without a default of their own: `FairLimit` derives one from the free slots. */
type PartyLimit = `max${"Receiving" | "Concurrent" | "Streams"}Per${"Caller" | "Address"}`;

export function fillHttpOptions(options: HttpOptions): HttpSettings {
  return {
    path: options.path,
    maxBodyBytes: options.maxBodyBytes ?? 4 * 1024 * 1024,
    bodyTimeoutMs: options.bodyTimeoutMs ?? 30_000,
    requestTimeoutMs: options.requestTimeoutMs ?? 600_000,
    maxReceivingRequests: options.maxReceivingRequests ?? 1_000,
    maxReceivingPerCaller: options.maxReceivingPerCaller,
    maxReceivingPerAddress: options.maxReceivingPerAddress,
    maxConcurrentRequests: options.maxConcurrentRequests ?? 1_000,
    maxConcurrentPerCaller: options.maxConcurrentPerCaller,
    maxConcurrentPerAddress: options.maxConcurrentPerAddress,
    maxStreams: options.maxStreams ?? 10_000,
    maxStreamsPerCaller: options.maxStreamsPerCaller,
    maxStreamsPerAddress: options.maxStreamsPerAddress,
    trustProxy: options.trustProxy ?? [],
    clientAddress: options.clientAddress,
    maxBufferedBytes: options.maxBufferedBytes ?? 1024 * 1024,
    memory: options.memory ?? processMemory,
    keepAliveMs: options.keepAliveMs ?? 15_000,
    allowedHosts: options.allowedHosts,
    allowedOrigins: options.allowedOrigins ?? [],
    cors: options.cors ?? true,
    routes: options.routes,
    onError: toErrorReport(options.onError),
    onRefused: options.onRefused,
  };
}
