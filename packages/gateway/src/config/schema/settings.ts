// The settings of a gateway and of its upstreams, as a file or a program states them. Generated from the schemas beside
// this file: change those, then run `npm run config`.

/** Operations of an HTTP API. */
export interface ApiSelection {
  /** Operations by their ids. */
  operationIds?: readonly string[];
  /** Operations by their tags. */
  tags?: readonly string[];
  /** Operations by method and path. `*` matches one segment, `**` any number. */
  paths?: readonly string[];
}

/** A caller with a key of its own. */
export interface KeySettings {
  /** The name of the caller. Its id in policies is `key ID`. */
  id: string;
  /** The key that the caller sends as `Authorization: Bearer KEY`, of at least 16 characters. */
  key: string;
  /** The scopes of the caller. Default: none. */
  scopes?: readonly string[];
}

/** Tokens (JWT) of an authorization server, issued for `publicUrl`. */
export interface JwtSettings {
  /** The issuer that tokens must name. */
  issuer: string;
  /** The URL of the issuer's keys (JWKS). https, or http to this machine. */
  jwksUrl: string;
  /** The audiences that tokens may name. Default: `publicUrl`. */
  audience?: readonly string[];
  /** The accepted signature algorithms, all asymmetric. Default: those of `verifyJwt` of @lethe/server. */
  algorithms?: readonly string[];
  /** The authorization servers that clients may get tokens from. Default: the issuer. */
  authorizationServers?: readonly string[];
  /** The scopes that the metadata of the endpoint lists. */
  scopesSupported?: readonly string[];
  /** The scopes that every token must have. Default: none. */
  requiredScopes?: readonly string[];
  /** The scopes that each scope includes. Default: none. */
  scopeHierarchy?: Readonly<Record<string, readonly string[]>>;
  /**
   * The authorization extensions that the gateway declares to clients at every endpoint: the ways to get these tokens that the
   * authorization servers support. Default: none.
   */
  extensions?: readonly ("oauth-client-credentials" | "enterprise-managed-authorization")[];
}

/** How callers authenticate. Absent: no authentication. */
export interface AuthSettings {
  /** Callers with keys. */
  keys?: readonly KeySettings[];
  /** Callers with tokens of an authorization server. */
  jwt?: JwtSettings;
}

/** A rule applies if all of its members match. */
export interface PolicyRule {
  /** What the rule decides. */
  effect: "allow" | "deny";
  /** Patterns of caller ids. `*` matches any text. */
  callers?: readonly string[];
  /** The caller must have all of these scopes. */
  scopes?: readonly string[];
  /** Patterns of methods. `*` matches any text. */
  methods?: readonly string[];
  /** Patterns of upstream names. `*` matches any text. */
  upstreams?: readonly string[];
  /**
   * Patterns of the upstream's own names of tools. `*` matches any text. A rule that names tools applies only to tools, and so
   * on.
   */
  tools?: readonly string[];
  /** Patterns of the upstream's own names of prompts. `*` matches any text. */
  prompts?: readonly string[];
  /** Patterns of URIs of the upstream. `*` matches any text. */
  resources?: readonly string[];
}

/** An endpoint over some of the upstreams. */
export interface EndpointSettings {
  /** The servers of the endpoint, by their names in the file. Their order follows the file. */
  upstreams: readonly string[];
  /** The offered tools, by the upstream's own names, among those that each upstream offers. Default: all of these. */
  tools?: NameFilter;
  /**
   * Access rules of the endpoint; the first one that matches decides. They apply in addition to `gateway.policy`: both must
   * allow a request.
   */
  policy?: readonly PolicyRule[];
}

/** The offered items. */
export interface NameFilter {
  /** The upstream's own names. `*` matches any text. Default: all. */
  allow?: readonly string[];
  /** Takes precedence over `allow`. Default: none. */
  deny?: readonly string[];
}

/**
 * Limits of requests, streams, connections and lists. Those ending in `PerCaller` apply to each authenticated caller, those
 * ending in `PerAddress` to each client address, and all others to the gateway.
 */
export interface LimitSettings {
  /** Requests of one caller per minute. More get 429 with Retry-After. Default: no limit. */
  requestsPerMinute?: number;
  /** Requests that are authenticating or whose body is arriving, at a time. Default 1,000. */
  maxReceivingRequests?: number;
  /** The same for one caller. More get 429 with Retry-After. Default: as many as are free, so at most half. */
  maxReceivingPerCaller?: number;
  /** The same for one client address, before or without authentication. Default: four times as many as are free. */
  maxReceivingPerAddress?: number;
  /** Running requests of all callers. Default 1,000. */
  maxConcurrentRequests?: number;
  /**
   * Running requests of one caller. More get 429 with Retry-After. Default: as many as are free, so at most half of
   * `maxConcurrentRequests`.
   */
  maxConcurrentPerCaller?: number;
  /** The same for one client address, without `auth`. Default: four times as many as are free. */
  maxConcurrentPerAddress?: number;
  /** Open subscriptions and GET streams of all callers. Default 10,000. */
  maxStreams?: number;
  /** Open streams of one caller. Default: as many as are free, so at most half of `maxStreams`. */
  maxStreamsPerCaller?: number;
  /** The same for one client address, without `auth`. Default: four times as many as are free. */
  maxStreamsPerAddress?: number;
  /** The size of one request body, in bytes. Default 4,194,304. */
  maxBodyBytes?: number;
  /** How long a request body may take to arrive, in ms. Default 30,000. */
  bodyTimeoutMs?: number;
  /** How long a request may take without a result or notification, in ms. 0 for no limit. Default 600,000. */
  requestTimeoutMs?: number;
  /** Open connections. More are closed at once. Default 16,384. */
  maxConnections?: number;
  /** How long the head of a request may take to arrive, in ms. Default 10,000. */
  headerTimeoutMs?: number;
  /** How long a connection without a request stays open, in ms. Default 75,000. */
  idleTimeoutMs?: number;
  /** The size of a request's head, in bytes. Default 16,384. */
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

/** Limits of calls that wait for the input of their caller. */
export interface PendingCallSettings {
  /** How long a call waits for the answer of its caller, in ms. Default 600,000. */
  ttlMs?: number;
  /** Waiting calls of all callers. The gateway cancels more at the upstream. Default 1,000. */
  max?: number;
  /** Waiting calls of one caller. Default 100. */
  maxPerCaller?: number;
}

/** The back-off and circuit breaker of failing upstreams. */
export interface RestartSettings {
  /** The delay before the first restart, in ms. It doubles with each failure. Default 500. */
  firstMs?: number;
  /** The longest delay, in ms. Default 30,000. */
  maxMs?: number;
  /** The number of consecutive failures after which callers get an error at once instead of waiting. Default 5. */
  maxFailures?: number;
}

/** Limits of tasks that the gateway creates from calls. */
export interface TaskSettings {
  /** How long a call runs before it becomes a task, in ms. Default 1,000. */
  afterMs?: number;
  /** The lifetime of a task from its creation, in ms. Default 3,600,000. */
  ttlMs?: number;
  /** Tasks of all callers. Default 10,000. */
  max?: number;
  /** Tasks of one caller. Default 1,000. */
  maxPerCaller?: number;
}

/** The administration interface. Default: on the port of the gateway, for requests from this machine. */
export interface AdminSettings {
  /** The key for administration, of at least 16 characters. Absent: only requests from this machine are allowed. */
  key?: string;
  /** A separate port for health, metrics and administration. 0 takes a free port. Default: the port of the endpoints. */
  port?: number;
  /** The address of that port. Default "127.0.0.1". */
  host?: string;
  /** Whether metrics need no key and are available from everywhere. Default false. */
  publicMetrics?: boolean;
  /** The number of recent exchanges to keep: all of up to 20 a second, and a fair sample of more. Default 2,000. */
  exchanges?: number;
  /** Whether params and results are kept as well, with secrets masked. Default false. */
  bodies?: boolean;
}

/** Times of a graceful shutdown. */
export interface ShutdownSettings {
  /** How long running requests may take to finish after SIGTERM, in ms. Default 10,000. */
  graceMs?: number;
  /**
   * How long the gateway serves requests after it reports that it is not ready, in ms, until load balancers have noticed.
   * Default 0.
   */
  delayMs?: number;
}

/** The server card, which describes the gateway to clients. */
export interface CardSettings {
  /** A reversed domain and a name with one slash. */
  name?: string;
  /** The name for people, of at most 100 characters. */
  title?: string;
  /** What the server is for, in at most 100 characters. */
  description?: string;
  /** A page about the server. */
  websiteUrl?: string;
}

/**
 * The certificate by which Redis knows the gateway. The files are read for each connection, so that another program can renew
 * them.
 */
export interface ClientCertificateSettings {
  /** A PEM file with the certificate, relative to the folder of the configuration. */
  certFile: string;
  /** A PEM file with its private key, without a password. */
  keyFile: string;
}

/** Direct connections between replicas. Replicas that cannot reach each other use Redis. */
export interface DirectSettings {
  /** "host:port" to listen on. With port 0 the system chooses one, which `workers` need: each worker has its own. */
  listen: string;
  /** "host:port" at which other replicas connect. Default: as `listen`, by the local address of the connection to Redis. */
  address?: string;
}

/** The Redis server that replicas of a gateway share. Absent: no replicas. */
export interface RedisSettings {
  /**
   * One server: `redis://USER:PASSWORD@HOST:6379/DATABASE`. Sentinels:
   * `redis+sentinel://USER:PASSWORD@HOST:26379,HOST:26379/PRIMARY/DATABASE`, with `?sentinelUser=…&sentinelPassword=…` where
   * they have an account. A Cluster: `redis+cluster://USER:PASSWORD@HOST:6379,HOST:6379`. With TLS: `rediss`.
   */
  url: string;
  /** The prefix of every key and channel. Default "lethe:". */
  prefix?: string;
  /**
   * The certificate of the gateway, which a Redis with TLS requires unless its `tls-auth-clients` is `no` or `optional`.
   * Absent: none.
   */
  clientCertificate?: ClientCertificateSettings;
  /**
   * "host:port" at which other replicas reach this one. Default: `host` and `port`, by the local address of the connection to
   * Redis.
   */
  address?: string;
  /**
   * Where this replica accepts direct connections of others, which then carry what replicas forward to each other, encrypted
   * with the keys of the deployment. Absent: Redis carries it.
   */
  direct?: DirectSettings;
  /** Whether to start with a Redis that may evict keys. Default false. */
  allowEviction?: boolean;
  /** How long a replica that stands still or is cut off from Redis keeps its sessions, in ms. Default 2,500. */
  leaseMs?: number;
  /** Timeout of one command to Redis, in ms. Default 5,000. */
  commandTimeoutMs?: number;
}

/** The PostgreSQL database that replicas of a gateway share, instead of Redis. Absent: no database. */
export interface PostgresSettings {
  /**
   * `postgres://USER:PASSWORD@HOST:5432/DATABASE`. `?sslmode=verify-full` requires TLS and a certificate for the host. It must
   * lead to the primary, and not through a pooler in transaction mode.
   */
  url: string;
  /** The prefix of every row and channel, which separates installations in one database. Default "lethe:". */
  prefix?: string;
  /** Connections of each replica for statements, at a time. One more is for messages. Default 10. */
  maxConnections?: number;
  /**
   * How long a replica that was killed, stands still or is cut off from PostgreSQL keeps its sessions, in ms. Default 5,000.
   */
  leaseMs?: number;
  /** Timeout of one statement, in ms. Default 5,000. */
  commandTimeoutMs?: number;
}

/** Export of traces, metrics and logs over OTLP. A member takes precedence over its variable of OpenTelemetry. */
export interface TelemetrySettings {
  /**
   * The URL of the collector, without `/v1/traces`. Variable: OTEL_EXPORTER_OTLP_ENDPOINT. For grpc, the default is
   * `http://localhost:4317`. Default "http://localhost:4318".
   */
  endpoint?: string;
  /**
   * The protocol. grpc needs packages that are not installed with lethe. Variable: OTEL_EXPORTER_OTLP_PROTOCOL. Default
   * "http/protobuf".
   */
  protocol?: "http/protobuf" | "http/json" | "grpc";
  /** Headers of each export. Their values are masked in the log. Variable: OTEL_EXPORTER_OTLP_HEADERS. Default: none. */
  headers?: Readonly<Record<string, string>>;
  /** What is exported. Variables: OTEL_TRACES_EXPORTER, OTEL_METRICS_EXPORTER and OTEL_LOGS_EXPORTER. Default: all. */
  signals?: readonly ("traces" | "metrics" | "logs")[];
  /** The attribute `service.name`. Variable: OTEL_SERVICE_NAME. Default "lethe-gateway". */
  serviceName?: string;
  /** Further attributes of the resource. Variable: OTEL_RESOURCE_ATTRIBUTES. Default: none. */
  attributes?: Readonly<Record<string, string>>;
  /**
   * The share of traces to record, above 0 and at most 1, if the caller made no decision. Variable: OTEL_TRACES_SAMPLER.
   * Default: all traces.
   */
  sampleRatio?: number;
  /** How often metrics are exported, in ms. Variable: OTEL_METRIC_EXPORT_INTERVAL. Default 60,000. */
  metricIntervalMs?: number;
  /** Timeout of one export, in ms. Variable: OTEL_EXPORTER_OTLP_TIMEOUT. Default 10,000. */
  timeoutMs?: number;
  /** How long the gateway waits for the last export when it stops, in ms. Default 5,000. */
  flushMs?: number;
}

/** Settings of one upstream, regardless of its transport. */
export interface UpstreamPolicy {
  /**
   * The prefix of public names. "" for none, as long as no other upstream has the same names. Default: the name of the
   * upstream.
   */
  prefix?: string;
  /**
   * What the upstream keeps per connection; overrides the verdict, so that the upstream is not probed. shared: nothing, so all
   * callers may share one connection. session: state of one caller, which no other may see. single: it has one session only and
   * takes one request at a time. Default: the verdict decides.
   */
  sharing?: "shared" | "session" | "single";
  /**
   * Which requests share a session of an upstream with sessions. caller: all requests of one caller. handle: all requests with
   * the same handle, which the gateway issues. call: none, each call has its own session. shared: all requests. Default:
   * follows from the verdict.
   */
  affinity?: "caller" | "handle" | "call" | "shared";
  /** Limits of its sessions. */
  sessions?: SessionSettings;
  /** eager: started at once and kept running. demand: started to read its lists, then on the first call. Default "eager". */
  start?: "eager" | "demand";
  /**
   * The tools, prompts and resource URIs that send input requests during a call. `*` matches any text. Only for servers of
   * older revisions whose transport does not attribute requests to calls. Default: learned from the calls.
   */
  elicits?: readonly string[];
  /** idempotent: a pending call that was lost runs again, if the tool declares that this is safe. Default "never". */
  rerun?: "never" | "idempotent";
  /**
   * Answers `roots/list` of the upstream at any time. Default: forwarded to the caller of the running call, if there is one.
   */
  roots?: readonly RootSettings[];
  /** The offered tools and their names. */
  tools?: Exposure;
  /** The offered prompts and their names. */
  prompts?: Exposure;
  /** The offered resources, by URI or by URI template. */
  resources?: NameFilter;
  /**
   * The extensions that pass between callers and the upstream, by id: their declarations, methods, notifications, and `_meta`
   * of requests. Default: all.
   */
  extensions?: NameFilter;
  /**
   * What the endpoint of the upstream does with messages of protocol revisions later than those of the gateway, if the upstream
   * supports them. relay: it forwards them as they are, unless `tools`, `prompts`, `resources` or `extensions` restrict the
   * upstream. reject: callers use an older revision. Default "relay".
   */
  laterRevisions?: "relay" | "reject";
  /** The client info that the upstream receives with each request: the gateway's or the caller's. Default "gateway". */
  clientInfo?: "gateway" | "caller";
  /** How long the upstream may take until its first response, in ms. Default 60,000. */
  startTimeoutMs?: number;
  /** A request without a result or progress fails after this time, in ms. Default 600,000. */
  timeoutMs?: number;
  /** The era to use. Default: detected. */
  era?: "modern" | "legacy";
  /** The gateway's credentials at a remote upstream. Never the token of the caller. */
  credentials?: CredentialSettings;
  /**
   * auto: the gateway turns long calls into tasks for callers that support them, if the upstream has no tasks. Default "never".
   */
  tasks?: "auto" | "never";
  /** Whether readiness requires this upstream. Default false. */
  required?: boolean;
}

/** Limits of the sessions with one upstream, and what follows a loss. */
export interface SessionSettings {
  /** Sessions of this upstream at a time, in each replica or worker. Default 64. */
  max?: number;
  /** Sessions of one caller. Default 8. */
  maxPerCaller?: number;
  /**
   * The number of sessions for callers that share. More than 1 only suits servers that keep no state between calls: a call that
   * may send input requests, or would wait for one that does, then uses a free session. Default 1.
   */
  maxShared?: number;
  /** An unused session is closed after this time, in ms. Default 900,000. */
  idleMs?: number;
  /** The longest lifetime of a session, in ms. Running calls may finish. Default 86,400,000. */
  lifetimeMs?: number;
  /** How long a request waits for a session or a start, in ms. Default 10,000. */
  waitMs?: number;
  /**
   * How long a call waits for another one that may send input requests, in ms. Tool calls may take that long. Default 60,000.
   */
  turnWaitMs?: number;
  /** The number of requests that may wait. Default 1,000. */
  maxWaiting?: number;
  /**
   * What the next call of a caller gets when the state of its session is lost. tell: an error with the reason "session_lost",
   * and the call does not start. continue: the call runs in a new session, and its result says so in `_meta`. Default "tell".
   */
  onLoss?: "tell" | "continue";
}

/** A folder that the upstream may use. */
export interface RootSettings {
  /** A file:// URI. */
  uri: string;
  /** The name for people. */
  name?: string;
}

/** The offered features and their names. */
export interface Exposure {
  /** The upstream's own names. `*` matches any text. Default: all. */
  allow?: readonly string[];
  /** Takes precedence over `allow`. Default: none. */
  deny?: readonly string[];
  /** Maps the upstream's name to the offered one. Default: none. */
  rename?: Readonly<Record<string, string>>;
}

/** A key that signs assertions (private_key_jwt). */
export interface PrivateKeySettings {
  /** The private key: PEM or JWK. */
  key?: string;
  /** A file with the key, relative to the folder of the configuration. A change of the file reloads the configuration. */
  file?: string;
  /** The signature algorithm. Default: that of the curve (ES256, ES384, ES512, EdDSA), or RS256 for an RSA key. */
  algorithm?: string;
  /** The `kid` of the key at the authorization server. Default: none is named. */
  keyId?: string;
}

/** Client credentials (OAuth) of the gateway. */
export interface ClientCredentialSettings {
  /** The id of the gateway as a client. */
  clientId: string;
  /** The secret of the client. */
  clientSecret?: string;
  /** Signs an assertion in place of a secret, which the authorization server never sees. */
  privateKey?: PrivateKeySettings;
  /**
   * The only authorization server that may receive the secret or an assertion. Default: the first one that the upstream names,
   * which is recorded and logged.
   */
  issuer?: string;
  /** The requested scopes. Default: those that the upstream names. */
  scopes?: readonly string[];
}

/** The identity provider of the company. */
export interface IdentityProviderSettings {
  /** The issuer of the id tokens. */
  issuer: string;
  /** Default: from the metadata of the issuer. */
  tokenEndpoint?: string;
  /** The id of the gateway at the identity provider, which is the audience of the id tokens. */
  clientId: string;
  /** The secret of the client. */
  clientSecret?: string;
  /** Signs an assertion in place of a secret, which the authorization server never sees. */
  privateKey?: PrivateKeySettings;
}

/** Enterprise-managed authorization of one identity that the operator signs in. */
export interface EnterpriseManagedSettings {
  /** The id of the gateway as a client. */
  clientId: string;
  /** The secret of the client. */
  clientSecret?: string;
  /** Signs an assertion in place of a secret, which the authorization server never sees. */
  privateKey?: PrivateKeySettings;
  /**
   * The only authorization server that may receive the secret or an assertion. Default: the first one that the upstream names,
   * which is recorded and logged.
   */
  issuer?: string;
  /** The requested scopes. Default: those that the upstream names. */
  scopes?: readonly string[];
  /** The identity provider, which decides what the identity may access. */
  identityProvider: IdentityProviderSettings;
  /**
   * A file with the id token of the identity, relative to the folder of the configuration. It is read for each token, so that
   * another program can renew it.
   */
  idTokenFile: string;
}

/** One set of credentials. */
export interface CredentialGrant {
  /** Sent with every MCP request, in addition to the headers of the server's entry. They replace those of the same name. */
  headers?: Readonly<Record<string, string>>;
  /** Tokens that the gateway gets by the client credentials grant. */
  clientCredentials?: ClientCredentialSettings;
  /** Tokens that the gateway gets by enterprise-managed authorization, in exchange for an id token. */
  enterpriseManaged?: EnterpriseManagedSettings;
}

/** The gateway's credentials at the upstream. Never the token of the caller. */
export interface CredentialSettings {
  /** Sent with every MCP request, in addition to the headers of the server's entry. They replace those of the same name. */
  headers?: Readonly<Record<string, string>>;
  /** Tokens that the gateway gets by the client credentials grant. */
  clientCredentials?: ClientCredentialSettings;
  /** Tokens that the gateway gets by enterprise-managed authorization, in exchange for an id token. */
  enterpriseManaged?: EnterpriseManagedSettings;
  /** Credentials by caller id. Other callers use the grant above, or none if `callerRequired`. */
  callers?: Readonly<Record<string, CredentialGrant>>;
  /** Whether callers without their own entry are refused. Default false. */
  callerRequired?: boolean;
}

/** Settings of the gateway. All of them are optional. */
export interface GatewaySettings {
  /** The address to listen on. By default only this machine can reach it. Default "127.0.0.1". */
  host?: string;
  /** The port to listen on. 0 takes a free port. Default 3,000. */
  port?: number;
  /** The public URL of the merged endpoint. Tokens are issued for it, and the server card contains it. */
  publicUrl?: string;
  /**
   * The values that `Host` may have, in addition to `localhost`, `127.0.0.1` and `[::1]`. Default: see `HttpOptions` of
   * @lethe/server.
   */
  allowedHosts?: readonly string[];
  /** The origins of web pages that may send requests. Default: see `HttpOptions` of @lethe/server. */
  allowedOrigins?: readonly string[];
  /** IP addresses and CIDR blocks of reverse proxies whose `X-Forwarded-For` gives the client address. Default: none. */
  trustProxy?: readonly string[];
  /** How callers authenticate. Absent: no authentication. */
  auth?: AuthSettings;
  /**
   * Access rules; the first one that matches decides. Absent: every caller may use everything. Otherwise a request that no rule
   * allows is denied.
   */
  policy?: readonly PolicyRule[];
  /** Merged endpoints over some of the upstreams, by name: each is at `/mcp/NAME`. Default: none. */
  endpoints?: Readonly<Record<string, EndpointSettings>>;
  /** Limits of requests, streams, connections and lists. */
  limits?: LimitSettings;
  /** Limits of calls that wait for the input of their caller. */
  pendingCalls?: PendingCallSettings;
  /** Pauses before an upstream that failed starts again. */
  restart?: RestartSettings;
  /** Limits of tasks that the gateway creates from calls. */
  tasks?: TaskSettings;
  /** The administration interface. */
  admin?: AdminSettings;
  /**
   * The format in which `lethe gateway` writes its log: "text" for people, "json" for programs. Default: readable lines for a
   * terminal.
   */
  log?: "text" | "json";
  /**
   * How clients of older revisions are served. sealed: with sessions that any replica can continue. none: without sessions.
   * off: not at all. Default "sealed".
   */
  legacy?: "sealed" | "none" | "off";
  /**
   * Whether responses contain an opaque value per caller on which load balancers can hash. header: as the header
   * Lethe-Affinity. cookie: also as the cookie lethe_affinity. none: not at all. Default: header if replicas share a store,
   * else none.
   */
  affinityHints?: "header" | "cookie" | "none";
  /** Whether remote upstreams are probed. If false, only their connections show what they are. Default true. */
  probe?: boolean;
  /** Times of a graceful shutdown. */
  shutdown?: ShutdownSettings;
  /**
   * The interval of bytes on a slow response, in ms. It starts after 1.6 times this, with status 200. A request that waits for
   * another replica gets 503 before that. Absent: a response starts when its result is known, and open streams get a comment
   * every 15 s.
   */
  keepAliveMs?: number;
  /** The server card, which describes the gateway to clients. */
  card?: CardSettings;
  /** The store that replicas share. Absent: no replicas, or `postgres`. */
  redis?: RedisSettings;
  /** The store that replicas share, instead of `redis`. */
  postgres?: PostgresSettings;
  /**
   * How many processes share the port, from 1 to 256, or "auto" for one per core. `lethe gateway --workers` overrides it.
   * Default 1.
   */
  workers?: number | "auto";
  /** Export of traces, metrics and logs over OTLP. Absent: as the variables of OpenTelemetry say, by default not at all. */
  telemetry?: TelemetrySettings;
}
