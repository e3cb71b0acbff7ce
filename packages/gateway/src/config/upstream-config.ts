// How to reach and use one upstream server, independent of the file it was configured in.
import type { MessageWire } from "@lethe/client/edge";
import type { Era, HttpTransportName, Root } from "@lethe/protocol";
import type { CredentialSettings } from "./credential-settings.ts";
import type { GatewaySettings } from "./gateway-settings.ts";

/**
 * Which requests share a session of an upstream with sessions. caller: all requests of one caller. handle: all requests with
 * the same handle, which the gateway issues. call: none, each call has its own session. shared: all requests.
 */
export type Affinity = "caller" | "handle" | "call" | "shared";

/**
 * What an upstream keeps per connection. shared: nothing, so all callers may share one connection. session: state of one
 * caller, which no other may see. single: it has one session only and takes one request at a time.
 */
export type Sharing = "shared" | "session" | "single";

export interface SessionLimits {
  /** Sessions of this upstream at a time. Default 64. */
  max?: number;
  /** Sessions of one caller. Default 8. */
  maxPerCaller?: number;
  /**
   * The number of sessions for callers that share. More than 1 only suits servers that keep no state between calls: a call
   * that may send input requests, or would wait for one that does, then uses a free session. Default 1.
   */
  maxShared?: number;
  /** An unused session is closed after this time, in ms. Default 15 minutes. */
  idleMs?: number;
  /** The maximum lifetime of a session, in ms. Running calls may finish. Default 24 hours. */
  lifetimeMs?: number;
  /** How long a request waits for a session or a start, in ms. Default 10,000. */
  waitMs?: number;
  /**
   * How long a call waits for another one that may send input requests, in ms. Default 60,000, because tool calls may take that
   * long.
   */
  turnWaitMs?: number;
  /** The number of requests that may wait. Default 1,000. */
  maxWaiting?: number;
}

export interface SessionSettings extends SessionLimits {
  /**
   * What the next call of a caller gets when the state of its session is lost. tell: an error with the reason "session_lost", and
   * the call does not start. continue: the call runs in a new session, and its result says so in `_meta`. Default tell.
   */
  onLoss?: OnLoss;
}

export type OnLoss = "tell" | "continue";

/** The limits of waiting for a session, a start or a turn. */
export const defaultWaiting = { waitMs: 10_000, turnWaitMs: 60_000, maxWaiting: 1_000 } as const;

/** The offered features and their names. */
export interface Exposure {
  /** The upstream's own names. `*` matches any text. Default: all. */
  allow?: readonly string[];
  /** Takes precedence over `allow`. */
  deny?: readonly string[];
  /** Maps the upstream's name to the offered one. */
  rename?: Readonly<Record<string, string>>;
}

/** Settings of every upstream, regardless of its transport. Every setting has a default. */
export interface UpstreamPolicy {
  /** The prefix of public names. Default: the name of the upstream. "" for none. */
  prefix?: string;
  /** Overrides the verdict, so that the upstream is not probed. Default: the verdict decides. */
  sharing?: Sharing;
  /** Default: follows from the verdict. */
  affinity?: Affinity;
  sessions?: SessionSettings;
  /** eager: started at once and kept running. demand: started to read its lists, then on the first call. Default eager. */
  start?: "eager" | "demand";
  /**
   * The tools, prompts and resource URIs that send input requests during a call. `*` matches any text. Only for servers of
   * older revisions whose transport does not attribute requests to calls. Default: learned from the calls.
   */
  elicits?: readonly string[];
  /** idempotent: a pending call that was lost runs again, if the tool declares that this is safe. */
  rerun?: "never" | "idempotent";
  /**
   * Answers `roots/list` of the upstream at any time. Default: forwarded to the caller of the running call, if there is one.
   */
  roots?: readonly Root[];
  tools?: Exposure;
  prompts?: Exposure;
  /** By URI, or by URI template. */
  resources?: Pick<Exposure, "allow" | "deny">;
  /** The client info that the upstream receives with each request. Default: the gateway's. */
  clientInfo?: "gateway" | "caller";
  /** How long the upstream may take until its first response, in ms. Default 60,000. */
  startTimeoutMs?: number;
  /** A request without a result or progress fails after this time, in ms. Default 10 minutes. */
  timeoutMs?: number;
  /** The era to use. Default: detected. */
  era?: Era;
  /** The gateway's credentials at the upstream. Never the token of the caller. */
  credentials?: CredentialSettings;
  /**
   * auto: the gateway turns long calls into tasks for callers that support them, if the upstream has no tasks. Default never.
   */
  tasks?: "auto" | "never";
  /** Whether readiness requires this upstream. */
  isRequired?: boolean;
}

/** An upstream that the gateway starts as a command. */
export interface StdioUpstream extends UpstreamPolicy {
  kind: "stdio";
  name: string;
  command: string;
  args: string[];
  env: Record<string, string>;
  /** Absolute, or relative to the gateway's working directory. */
  cwd?: string;
}

/** An upstream that is reached by URL. */
export interface HttpUpstream extends UpstreamPolicy {
  kind: "http";
  name: string;
  url: string;
  headers: Record<string, string>;
  /** The transport in its file. Default: detected. */
  transport?: HttpTransportName;
}

/** Selects operations of an HTTP API. */
export interface ApiSelection {
  operationIds?: readonly string[];
  tags?: readonly string[];
  paths?: readonly string[];
}

/** An HTTP API whose operations are tools. Its sharing is always "shared", because its tools keep no state. */
export interface OpenApiUpstream extends UpstreamPolicy {
  kind: "openapi";
  name: string;
  /** The OpenAPI document: an http or https URL, or an absolute path. */
  document: string;
  /** The options of `openapi` of @lethe/openapi, as far as a file can state them. */
  api: {
    baseUrl?: string;
    include?: "all" | ApiSelection;
    exclude?: ApiSelection;
    deprecated?: boolean;
    outputSchemas?: boolean;
    auth?: Readonly<Record<string, string | { username: string; password: string }>>;
    maxOperations?: number;
    maxResponseBytes?: number;
    maxConcurrent?: number;
  };
}

/** A server in the gateway's own process. */
export interface MemoryUpstream extends UpstreamPolicy {
  kind: "memory";
  name: string;
  /** Connects another session. */
  open(): Promise<MessageWire>;
}

/** What a file can configure. */
export type FileUpstream = StdioUpstream | HttpUpstream | OpenApiUpstream;

/** An upstream by its transport: a URL, a command, or a server object in this process. */
export type UpstreamConfig = FileUpstream | MemoryUpstream;

/** What a gateway serves: its upstreams and its settings. */
export interface GatewayConfig<Upstream extends UpstreamConfig = UpstreamConfig> {
  /** In the order of the file, which is the order of the merged lists. */
  upstreams: readonly Upstream[];
  /** Default: all defaults. */
  settings?: GatewaySettings;
}
