// How one upstream server is reached and how it is used, whatever file it was written in.
import type { Era, Root } from "@lethe/protocol";
import type { CredentialSettings } from "./credential-settings.ts";
import type { GatewaySettings } from "./gateway-settings.ts";

/**
 * What may share a session of an upstream that has sessions. caller: whatever one caller sends. handle: what names the same
 * handle, which the gateway gives out. call: nothing, each call has a session of its own. shared: everybody, on the word of
 * the operator.
 */
export type Affinity = "caller" | "handle" | "call" | "shared";

/**
 * What an upstream keeps. shared: nothing for a connection, so that everybody may use the same one. session: what one caller
 * began is nobody else's. single: it has one session only, and takes one request at a time.
 */
export type Sharing = "shared" | "session" | "single";

export interface SessionLimits {
  /** Sessions of this upstream at a time. Default 64. */
  max?: number;
  /** Of one caller. Default 8. */
  maxPerCaller?: number;
  /**
   * Sessions that callers share where they share one. More than 1 only for servers that keep nothing between calls: a call
   * that may ask its user, or has to wait for one that does, then goes to a session that is free. Default 1.
   */
  maxShared?: number;
  /** A session that nobody uses for so long is closed, in ms. Default 15 minutes. */
  idleMs?: number;
  /** So long a session lives at the most, in ms; what runs then is let finish. Default 24 hours. */
  lifetimeMs?: number;
  /** How long a request waits for a session or a start, in ms. Default 10,000. */
  waitMs?: number;
  /** How long a call waits for another one that may ask its user, in ms. Default 60,000: calls of tools take that long. */
  turnWaitMs?: number;
  /** How many requests may wait. Default 1,000. */
  maxWaiting?: number;
}

/** For a session, a start or a turn. */
export const defaultWaiting = { waitMs: 10_000, turnWaitMs: 60_000, maxWaiting: 1_000 } as const;

/** Which features are offered, and under which names. */
export interface Exposure {
  /** Names as the upstream knows them; `*` stands for any text. Default: all. */
  allow?: readonly string[];
  /** Wins over `allow`. */
  deny?: readonly string[];
  /** From the upstream's name to the one that is offered instead. */
  rename?: Readonly<Record<string, string>>;
}

export interface UpstreamPolicy {
  /** Stands in front of public names. Default: the name of the upstream; "" for none. */
  prefix?: string;
  /** What it is, by the word of the operator; it is then not probed. Default: found out. */
  sharing?: Sharing;
  /** Default: what the verdict on the upstream asks for. */
  affinity?: Affinity;
  sessions?: SessionLimits;
  /** eager: started at once and kept running. demand: started to be read, then when it is called. Default eager. */
  start?: "eager" | "demand";
  /**
   * Names of the tools and prompts, and URIs of the resources, that ask something in the middle of a call; `*` stands for any
   * text. Only for servers of older revisions that do not show which call asks. Default: learned from the calls.
   */
  elicits?: readonly string[];
  /** idempotent: a call that was lost while its caller was asked runs again, if the tool says that this does no harm. */
  rerun?: "never" | "idempotent";
  /** Answers `roots/list` of the upstream at any time. Default: the caller of the moment is asked, if there is one. */
  roots?: readonly Root[];
  tools?: Exposure;
  prompts?: Exposure;
  /** By URI, or by URI template. */
  resources?: Pick<Exposure, "allow" | "deny">;
  /** Whose name the upstream hears with each request. Default: the gateway's. */
  clientInfo?: "gateway" | "caller";
  /** How long the upstream may take to its first answer, in ms. Default 60,000. */
  startTimeoutMs?: number;
  /** Silence after which a request fails, in ms. Default 10 minutes. */
  timeoutMs?: number;
  /** The word of the operator. Default: it is asked. */
  era?: Era;
  /** How the gateway gets in there. Never the token of the caller (J-62). */
  credentials?: CredentialSettings;
  /** auto: a long call is a task for callers who can take one, if the upstream has no tasks itself. Default never. */
  tasks?: "auto" | "never";
  /** The gateway is not ready without it. */
  isRequired?: boolean;
}

export interface StdioUpstream extends UpstreamPolicy {
  kind: "stdio";
  name: string;
  command: string;
  args: string[];
  env: Record<string, string>;
  /** Absolute, or relative to the gateway's own working directory. */
  cwd?: string;
}

export interface HttpUpstream extends UpstreamPolicy {
  kind: "http";
  name: string;
  url: string;
  headers: Record<string, string>;
  /** What its file calls it. Default: found out. */
  transport?: "streamable-http" | "http-sse";
}

export type UpstreamConfig = StdioUpstream | HttpUpstream;

export interface GatewayConfig {
  /** In the order of the file: it is the order of the merged lists. */
  upstreams: readonly UpstreamConfig[];
  /** Default: every default. */
  settings?: GatewaySettings;
}
