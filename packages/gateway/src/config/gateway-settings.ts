// The settings of the `gateway` block, after reading and checking.

/** The `gateway` block of a configuration. Every setting has a default. */
export interface GatewaySettings {
  /** The address to listen on. Default 127.0.0.1, which only this machine can reach. */
  host?: string;
  /** The port to listen on. 0 takes a free port. Default 3000. */
  port?: number;
  /** The public URL of the merged endpoint. Tokens are issued for it, and the server card contains it. */
  publicUrl?: string;
  /** The values that `Host` may have, in addition to `localhost`, `127.0.0.1` and `[::1]`. Default: see `HttpOptions` of @lethe/server. */
  allowedHosts?: readonly string[];
  /** The origins of web pages that may send requests. Default: see `HttpOptions` of @lethe/server. */
  allowedOrigins?: readonly string[];
  /** IP addresses and CIDR blocks of reverse proxies whose `X-Forwarded-For` gives the client address. Default: none. */
  trustProxy?: readonly string[];
  /** Absent: no authentication. */
  auth?: AuthSettings;
  /** Absent: every caller may use everything. Otherwise a request that no rule allows is denied. */
  policy?: readonly PolicyRule[];
  /** Limits of requests, streams and connections. Default: see SECURITY.md. */
  limits?: LimitSettings;
  /** Limits of tasks that the gateway creates from calls. */
  tasks?: TaskSettings;
  /** Limits of calls that wait for the input of their caller. */
  pendingCalls?: PendingCallSettings;
  /** Pauses before an upstream that failed starts again. */
  restart?: RestartSettings;
  /** The administration interface. Default: on the port of the gateway, for requests from this machine. */
  admin?: AdminSettings;
  /** The format in which `lethe gateway` writes its log. Default: readable lines for a terminal. */
  log?: LogFormat;
  /**
   * How clients of older revisions are served: with sessions that any replica can continue, without sessions, or not at all.
   */
  legacy?: LegacyMode;
  /** Whether remote upstreams are probed. If false, only their connections show what they are. */
  isProbing?: boolean;
  /** Times of a graceful shutdown. */
  shutdown?: ShutdownSettings;
  /**
   * The interval of bytes on a slow response, in ms. It starts after 1.6 times this, with status 200. A request that waits for another
   * replica gets 503 before that.
   * Absent: a response starts when its result is known, and open streams get a comment every 15 s.
   */
  keepAliveMs?: number;
  /** The server card, which describes the gateway to clients. */
  card?: CardSettings;
  /** The store that replicas share. Absent: no replicas. */
  redis?: RedisSettings;
}

/** The format of log entries: "text" for people, "json" for programs. */
export type LogFormat = "text" | "json";
/** Every log format. */
export const logFormats: readonly LogFormat[] = ["text", "json"];

export type LegacyMode = "sealed" | "none" | "off";
export const legacyModes: readonly LegacyMode[] = ["sealed", "none", "off"];

export interface AuthSettings {
  keys?: readonly KeySettings[];
  jwt?: JwtSettings;
}

export interface KeySettings {
  id: string;
  key: string;
  scopes: readonly string[];
}

export interface JwtSettings {
  issuer: string;
  jwksUrl: string;
  audience?: readonly string[];
  algorithms?: readonly string[];
  authorizationServers: readonly string[];
  scopesSupported?: readonly string[];
  requiredScopes?: readonly string[];
  scopeHierarchy?: Readonly<Record<string, readonly string[]>>;
}

/** A rule applies if all of its members match. `*` in a pattern matches any text. */
export interface PolicyRule {
  effect: "allow" | "deny";
  /** Patterns of caller ids, for example `key ci`. */
  callers?: readonly string[];
  /** The caller must have all of these scopes. */
  scopes?: readonly string[];
  /** Patterns of methods. */
  methods?: readonly string[];
  /** Patterns of upstream names. */
  upstreams?: readonly string[];
  /** Patterns of the upstream's own names. A rule that names tools applies only to tools, and so on. */
  tools?: readonly string[];
  prompts?: readonly string[];
  /** Patterns of URIs. */
  resources?: readonly string[];
}

/** Other limits derive from it: one caller gets half of it, and one session all of it. */
export const defaultLimits = { maxConcurrentRequests: 1_000, maxStreams: 10_000 } as const;

/**
 * Limits ending in `PerCaller` apply to each authenticated caller, those ending in `PerAddress` to each client address. All
 * others apply to the gateway. Absent members have the defaults of `defaultLimits`, `HttpOptions` and `ConnectionLimits`.
 */
export interface LimitSettings {
  /** Requests of one caller per minute. More get 429 with Retry-After. */
  requestsPerMinute?: number;
  /** Requests that are authenticating or whose body is arriving, at a time. Default 1,000. */
  maxReceivingRequests?: number;
  /** The same for one caller. More get 429 with Retry-After. Default: as many as are free, so at most half. */
  maxReceivingPerCaller?: number;
  /** The same for one client address, before or without authentication. Default: four times as many as are free. */
  maxReceivingPerAddress?: number;
  maxConcurrentRequests?: number;
  /**
   * Running requests of one caller. More get 429 with Retry-After. Default: as many as are free, so at most half of
   * `maxConcurrentRequests`.
   */
  maxConcurrentPerCaller?: number;
  /** The same for one client address, without `auth`. Default: four times as many as are free. */
  maxConcurrentPerAddress?: number;
  maxStreams?: number;
  /** Open streams of one caller. Default: as many as are free, so at most half of `maxStreams`. */
  maxStreamsPerCaller?: number;
  /** The same for one client address, without `auth`. Default: four times as many as are free. */
  maxStreamsPerAddress?: number;
  maxBodyBytes?: number;
  bodyTimeoutMs?: number;
  requestTimeoutMs?: number;
  maxConnections?: number;
  headerTimeoutMs?: number;
  idleTimeoutMs?: number;
  maxHeaderBytes?: number;
  /** The hard mark of the memory budget, in bytes. Default: an eighth of V8's heap limit. */
  maxHeldBytes?: number;
  /** Resources that one caller subscribes to, each counted once per subscription. Default 1,000. */
  maxWatchedPerCaller?: number;
  /** Tools kept per upstream. Default 5,000. */
  maxTools?: number;
  /** Prompts kept per upstream. Default 5,000. */
  maxPrompts?: number;
  /** Resources kept per upstream. Default 10,000. */
  maxResources?: number;
  /** Resource templates kept per upstream. Default 1,000. */
  maxTemplates?: number;
}

/** Of the calls that wait for an answer of their callers. Absent members: the defaults of `ParkingLimits`. */
export interface PendingCallSettings {
  /** How long a call waits, in ms. */
  ttlMs?: number;
  max?: number;
  maxPerCaller?: number;
}

/** The back-off and circuit breaker of failing upstreams. Absent members: the defaults of `CircuitBreakerOptions`. */
export interface RestartSettings {
  /** The delay before the first restart, in ms. It doubles with each failure. */
  firstMs?: number;
  /** The maximum delay, in ms. */
  maxMs?: number;
  /** The number of consecutive failures after which callers get an error at once instead of waiting. */
  maxFailures?: number;
}

/** The limits of tasks that the gateway creates. */
export interface TaskSettings {
  /** How long a call runs before it becomes a task, in ms. Default 1,000. */
  afterMs?: number;
  /** The lifetime of a task from its creation, in ms. Default one hour. */
  ttlMs?: number;
  /** Default 10,000. */
  max?: number;
  /** The limit for one caller. Default 1,000. */
  maxPerCaller?: number;
}

export interface AdminSettings {
  /** The key for administration. Absent: only requests from this machine are allowed. */
  key?: string;
  /** A separate port for health, metrics and administration. Absent: the port of the endpoints. */
  port?: number;
  host?: string;
  /** Whether metrics need no key and are available from everywhere. */
  hasPublicMetrics?: boolean;
  /** The number of recent exchanges to keep. */
  exchanges?: number;
  /** Whether params and results are kept as well, with secrets masked. */
  keepsBodies?: boolean;
}

export interface ShutdownSettings {
  /** How long running requests may take to finish after SIGTERM, in ms. */
  graceMs?: number;
  /** How long to serve requests after reporting not ready, in ms, until load balancers have noticed. */
  delayMs?: number;
}

/** The Redis server that replicas of a gateway share. */
export interface RedisSettings {
  /** `redis://` or `rediss://`, with user, password and database where needed. */
  url: string;
  /** The prefix of every key and channel. Default "lethe:". */
  prefix?: string;
  /** "host:port" at which other replicas reach this one. Default: `host` and `port`, by the local address of the connection to Redis. */
  address?: string;
  /** Whether to start with a Redis that may evict keys. Default false. */
  allowEviction?: boolean;
  /** How long a replica that stands still or is cut off from Redis keeps its sessions, in ms. Default 2,500. */
  leaseMs?: number;
  /** Timeout of one command to Redis, in ms. Default 5,000. */
  commandTimeoutMs?: number;
}

export interface CardSettings {
  /** Reverse DNS with one slash: `com.example/tools`. */
  name?: string;
  title?: string;
  description?: string;
  websiteUrl?: string;
}
