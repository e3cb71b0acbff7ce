// The options of the HTTP edges and their defaults. Every limit is on by default.
import { type KnownOptions, type MemoryBudget, processMemory } from "@lethe/protocol";
import type { Sender } from "../auth/sender.ts";
import { type ErrorReport, toErrorReport } from "./answers.ts";
import type { RouteLookup } from "./route.ts";
import { servingDefaults } from "./serving-defaults.ts";

/** Options of HTTP edges: path, limits and allowed hosts. Times are in ms, sizes in bytes. */
export interface HttpOptions {
  /** The path of a single server. Other paths answer 404. Default: every path. */
  path?: string | undefined;
  /** Bytes of a request body. Larger bodies answer 413. Default 4 MiB. */
  maxBodyBytes?: number;
  /**
   * How long a request body may take to arrive. Slower bodies answer 408. Over node:http also how long a client may take none of its
   * response before the connection is closed. Default 30,000 ms.
   */
  bodyTimeoutMs?: number;
  /**
   * How long a request may run without a result or a notification. Then it is aborted and answers -32603. Does not apply to
   * subscriptions. Default 600,000 ms. 0 turns the limit off.
   */
  requestTimeoutMs?: number;
  /**
   * Concurrent requests that are being authenticated or whose body is arriving. More answer 503. They take no slot of
   * `maxConcurrentRequests`, so slow bodies never prevent a complete request from running. When all slots are taken, a new request
   * replaces the body that has been arriving for longest, if for more than 1,000 ms. Default 1,000.
   */
  maxReceivingRequests?: number;
  /** The same for one authenticated caller. More answer 429. Default: the number of free slots, so at most half of all. */
  maxReceivingPerCaller?: number;
  /**
   * The same for one client address (for IPv6, a /64 network) before or without authentication. More answer 429. Default: four
   * times the number of free slots, so at most four fifths of all.
   */
  maxReceivingPerAddress?: number;
  /** Requests that run concurrently, without streams. More answer 503. Default 1,000. */
  maxConcurrentRequests?: number;
  /** The same for one authenticated caller. More answer 429. Default: the number of free slots. */
  maxConcurrentPerCaller?: number;
  /** The same for one client address without authentication. More answer 429. Default: four times the number of free slots. */
  maxConcurrentPerAddress?: number;
  /** Open subscriptions, and GET streams of legacy clients. More answer 503. Default 10,000. */
  maxStreams?: number;
  /** The same for one authenticated caller. More answer 429. Default: the number of free slots. */
  maxStreamsPerCaller?: number;
  /** The same for one client address without authentication. More answer 429. Default: four times the number of free slots. */
  maxStreamsPerAddress?: number;
  /**
   * IP addresses and CIDR blocks of trusted reverse proxies. For a connection from one of them, the client address is the last
   * entry of `X-Forwarded-For` that is not itself a trusted proxy. Node only; see `clientAddress` for other platforms. Default: none,
   * so the header is ignored.
   */
  trustProxy?: readonly string[];
  /**
   * Returns the client address of a `Request` where the platform knows it, for example `server.requestIP` in Bun. Fetch handlers
   * only. Default: unknown, so requests without a caller are limited in total and not per address.
   */
  clientAddress?: ((request: Request) => string | undefined) | undefined;
  /** Bytes that a stream buffers for a slow client. Beyond that, notifications are dropped. Default 1 MiB. */
  maxBufferedBytes?: number;
  /**
   * Counts the bytes held for clients: request bodies, and responses that clients do not read. Above the soft mark, new requests
   * answer 503. Above the hard mark, the largest requests are closed. Default: one budget for the process, an eighth of the heap
   * limit.
   */
  memory?: MemoryBudget;
  /** The interval of comments that keep an idle stream open. Default 15,000 ms. */
  keepAliveMs?: number;
  /**
   * How long a request may run before its response starts, so that a proxy with a short read time-out keeps the connection. The
   * response is then an event stream, or, for a client that accepts none, JSON after line breaks. Each `keepAliveMs` follows a sign of
   * life, and an error has status 200. Over node:http only. Default 0: a response starts when its status is known.
   */
  startAfterMs?: number;
  /**
   * The values that `Host` may have: names for any port, or `name:port`. Others answer 403. Default: `localhost`, `127.0.0.1` and
   * `[::1]` on a loopback connection, any host on others.
   */
  allowedHosts?: readonly string[] | "any";
  /**
   * The origins of web pages that may call, such as `https://app.example`. Others answer 403. Pages of the same host are always
   * allowed, as are loopback pages that call a loopback server. Default: no other origins.
   */
  allowedOrigins?: readonly string[] | "any";
  /** Answers preflights and sends CORS headers to allowed origins. Default true. */
  cors?: boolean;
  /** Returns the route of a path that leads to no server. Default: such paths answer 404. */
  routes?: RouteLookup | undefined;
  /** Called with every error that no client may see. Default: console.error. */
  onError?: ErrorReport;
  /** Called with the reason when a request is rejected for its `Host` or `Origin`. Often a name is missing in the options above. */
  onRefused?: ((reason: string, sender: Sender) => void) | undefined;
  /**
   * Called with the status of a request that was rejected before it reached the server: 401 and 403 for its token, 429 and 503 for a
   * limit, 413 and 408 for its body, other statuses from 400 on for its form.
   */
  onRejected?: ((status: number, sender: Sender) => void) | undefined;
}

export const knownHttpOptions: KnownOptions<HttpOptions> = {
  path: true,
  maxBodyBytes: true,
  bodyTimeoutMs: true,
  requestTimeoutMs: true,
  maxReceivingRequests: true,
  maxReceivingPerCaller: true,
  maxReceivingPerAddress: true,
  maxConcurrentRequests: true,
  maxConcurrentPerCaller: true,
  maxConcurrentPerAddress: true,
  maxStreams: true,
  maxStreamsPerCaller: true,
  maxStreamsPerAddress: true,
  trustProxy: true,
  clientAddress: true,
  maxBufferedBytes: true,
  memory: true,
  keepAliveMs: true,
  startAfterMs: true,
  allowedHosts: true,
  allowedOrigins: true,
  cors: true,
  routes: true,
  onError: true,
  onRefused: true,
  onRejected: true,
};

/** HttpOptions with every default filled in. */
export interface HttpSettings
  extends Required<Omit<HttpOptions, "path" | "allowedHosts" | "routes" | "onRefused" | "onRejected" | PartyLimit>>,
    Readonly<Record<PartyLimit, number | undefined>> {
  readonly path: string | undefined;
  readonly routes: RouteLookup | undefined;
  readonly allowedHosts: readonly string[] | "any" | undefined;
  readonly onRefused: ((reason: string, sender: Sender) => void) | undefined;
  readonly onRejected: ((status: number, sender: Sender) => void) | undefined;
}

/** Options whose default `FairLimit` derives from the free slots. */
type PartyLimit = `max${"Receiving" | "Concurrent" | "Streams"}Per${"Caller" | "Address"}`;

export function fillHttpOptions(options: HttpOptions): HttpSettings {
  return {
    path: options.path,
    maxBodyBytes: options.maxBodyBytes ?? servingDefaults.maxBodyBytes,
    bodyTimeoutMs: options.bodyTimeoutMs ?? servingDefaults.bodyTimeoutMs,
    requestTimeoutMs: options.requestTimeoutMs ?? servingDefaults.requestTimeoutMs,
    maxReceivingRequests: options.maxReceivingRequests ?? servingDefaults.maxReceivingRequests,
    maxReceivingPerCaller: options.maxReceivingPerCaller,
    maxReceivingPerAddress: options.maxReceivingPerAddress,
    maxConcurrentRequests: options.maxConcurrentRequests ?? servingDefaults.maxConcurrentRequests,
    maxConcurrentPerCaller: options.maxConcurrentPerCaller,
    maxConcurrentPerAddress: options.maxConcurrentPerAddress,
    maxStreams: options.maxStreams ?? servingDefaults.maxStreams,
    maxStreamsPerCaller: options.maxStreamsPerCaller,
    maxStreamsPerAddress: options.maxStreamsPerAddress,
    trustProxy: options.trustProxy ?? [],
    clientAddress: options.clientAddress,
    maxBufferedBytes: options.maxBufferedBytes ?? 1024 * 1024,
    memory: options.memory ?? processMemory,
    keepAliveMs: options.keepAliveMs ?? 15_000,
    startAfterMs: options.startAfterMs ?? 0,
    allowedHosts: options.allowedHosts,
    allowedOrigins: options.allowedOrigins ?? [],
    cors: options.cors ?? true,
    routes: options.routes,
    onError: toErrorReport(options.onError),
    onRefused: options.onRefused,
    onRejected: options.onRejected,
  };
}
