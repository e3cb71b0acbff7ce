// The gateway's own block of a configuration file, read and checked.
export interface GatewaySettings {
  host?: string;
  port?: number;
  /** Where clients reach the merged endpoint: what tokens are issued for, and what the server card says. */
  publicUrl?: string;
  allowedHosts?: readonly string[];
  allowedOrigins?: readonly string[];
  /** IP addresses and CIDR blocks of reverse proxies whose `X-Forwarded-For` gives the client address. Default: none. */
  trustProxy?: readonly string[];
  /** Absent: whoever reaches the port may call. */
  auth?: AuthSettings;
  /** Absent: every caller may use everything. Else what no rule allows is denied. */
  policy?: readonly PolicyRule[];
  limits?: LimitSettings;
  tasks?: TaskSettings;
  pendingCalls?: PendingCallSettings;
  restart?: RestartSettings;
  admin?: AdminSettings;
  log?: LogFormat;
  /** How clients of older revisions are served: with sessions that any replica continues, without, or not at all. */
  legacy?: LegacyMode;
  /** False: no upstream is probed; what its connections show is all that is known of it. */
  isProbing?: boolean;
  shutdown?: ShutdownSettings;
  card?: CardSettings;
  /** What the replicas of the gateway share. Absent: each is alone. */
  redis?: RedisSettings;
}

export type LogFormat = "text" | "json";
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

/** Every part that is there must fit for the rule to apply. A `*` in a pattern stands for any text. */
export interface PolicyRule {
  effect: "allow" | "deny";
  /** Patterns of caller ids, for example `key ci`. */
  callers?: readonly string[];
  /** The caller has all of these. */
  scopes?: readonly string[];
  /** Patterns of methods. */
  methods?: readonly string[];
  /** Patterns of upstream names. */
  upstreams?: readonly string[];
  /** Patterns of the upstream's own names; a rule that names tools applies to no prompt, and so on. */
  tools?: readonly string[];
  prompts?: readonly string[];
  /** Patterns of URIs. */
  resources?: readonly string[];
}

/** Of what others are made of: half of it is one caller's, and all of it one session's. */
export const defaultLimits = { maxConcurrentRequests: 1_000, maxStreams: 10_000 } as const;

/** Absent members: `defaultLimits`, and the defaults of `HttpOptions` and `ConnectionLimits`. */
export interface LimitSettings {
  /** Of one caller; more answer 429 with Retry-After. */
  requestsPerMinute?: number;
  /** Requests that are being authenticated or whose body is arriving, at a time. Default 1,000. */
  maxReceivingRequests?: number;
  /** Of one caller; more answer 429 with Retry-After. Default: as many as are free, so at most half. */
  maxReceivingPerCaller?: number;
  /** Of one client address, before or without authentication. Default: four times as many as are free. */
  maxReceivingPerAddress?: number;
  maxConcurrentRequests?: number;
  /** Of one caller; more answer 429 with Retry-After. Default: as many as are free, so at most half of `maxConcurrentRequests`. */
  maxConcurrentPerCaller?: number;
  /** Of one client address, without `auth`. Default: four times as many as are free. */
  maxConcurrentPerAddress?: number;
  maxStreams?: number;
  /** Of one caller. Default: as many as are free, so at most half of `maxStreams`. */
  maxStreamsPerCaller?: number;
  /** Of one client address, without `auth`. Default: four times as many as are free. */
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
  /** Resources that one caller watches, each counted once per subscription. Default 1,000. */
  maxWatchedPerCaller?: number;
  /** Tools that are kept of one upstream. Default 5,000. */
  maxTools?: number;
  /** Prompts that are kept of one upstream. Default 5,000. */
  maxPrompts?: number;
  /** Resources that are kept of one upstream. Default 10,000. */
  maxResources?: number;
  /** Resource templates that are kept of one upstream. Default 1,000. */
  maxTemplates?: number;
}

/** Of the calls that wait for an answer of their callers. Absent members: the defaults of `ParkingLimits`. */
export interface PendingCallSettings {
  /** How long a call waits, in ms. */
  ttlMs?: number;
  max?: number;
  maxPerCaller?: number;
}

/** How fast upstreams that fail are tried again. Absent members: the defaults of `CircuitBreakerOptions`. */
export interface RestartSettings {
  /** Before the first time, in ms; twice as long after each failure. */
  firstMs?: number;
  /** At the most, in ms. */
  maxMs?: number;
  /** So many failures in a row, and callers are told at once instead of waiting. */
  maxFailures?: number;
}

/** Of the tasks that the gateway makes itself. */
export interface TaskSettings {
  /** How long a call waits for its result before it goes on as a task, in ms. Default 1,000. */
  afterMs?: number;
  /** From the creation of a task, in ms. Default one hour. */
  ttlMs?: number;
  /** Default 10,000. */
  max?: number;
  /** Of one caller. Default 1,000. */
  maxPerCaller?: number;
}

export interface AdminSettings {
  /** Absent: only requests from this very machine. */
  key?: string;
  /** A port of its own for health, metrics and administration. Absent: beside the endpoints. */
  port?: number;
  host?: string;
  /** Metrics without key and from everywhere. */
  hasPublicMetrics?: boolean;
  /** How many recent exchanges are kept. */
  exchanges?: number;
  /** Keep what was asked and answered as well, with secrets masked. */
  keepsBodies?: boolean;
}

export interface ShutdownSettings {
  /** How long requests may go on after SIGTERM, in ms. */
  graceMs?: number;
  /** How long to go on serving while already reported as not ready, in ms: for load balancers that are slow to notice. */
  delayMs?: number;
}

export interface RedisSettings {
  /** `redis://` or `rediss://`, with user, password and database where needed. */
  url: string;
  /** Of every key and channel. Default "lethe:". */
  prefix?: string;
}

export interface CardSettings {
  /** Reverse DNS with one slash: `com.example/tools`. */
  name?: string;
  title?: string;
  description?: string;
  websiteUrl?: string;
}
