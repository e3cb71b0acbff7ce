// How one upstream server is reached and treated, whatever file it was written in.
import type { Era, Root } from "@lethe/protocol";
import type { CredentialSettings } from "./credential-settings.ts";
import type { GatewaySettings } from "./gateway-settings.ts";

/** What the operator states about an upstream: everything that was found out about it gives way. */
export interface UpstreamSettings {
  /** Absent: it is asked. */
  era?: Era;
  /**
   * Who may share one session of a stateful upstream: everybody, the requests of one caller, or those of one conversation
   * of a caller. Absent: what was found out about the upstream decides, and never lets two callers share state.
   */
  affinity?: Affinity;
  /** How many sessions or processes of it may be open at a time. */
  maxSessions?: number;
  /** How long a session may be unused before it is ended, in ms. */
  sessionIdleMs?: number;
  /** How many of its calls may wait for an answer of their caller. */
  maxParkedCalls?: number;
  /** How long such a call waits before it is cancelled, in ms. */
  parkedCallTtlMs?: number;
  /** Silence after which a request fails, in ms. */
  timeoutMs?: number;
  /** How long it may take to start, in ms. */
  startTimeoutMs?: number;
  /** The folders that it is told of when it asks for roots. */
  roots?: readonly Root[];
  /** In front of its tool and prompt names at the merged endpoint, in place of its name. */
  prefix?: string;
  tools?: ToolSettings;
  /** How the gateway gets in there. Never the token of the caller (J-62). */
  credentials?: CredentialSettings;
  /** The gateway is not ready without it. */
  isRequired?: boolean;
}

export type Affinity = "shared" | "caller" | "conversation";
export const affinities: readonly Affinity[] = ["shared", "caller", "conversation"];

/** By the upstream's own names. A `*` in a pattern stands for any text. */
export interface ToolSettings {
  /** Absent: every tool. */
  allow?: readonly string[];
  /** Wins over `allow`. */
  deny?: readonly string[];
  /** From the upstream's own name to the one that is offered. */
  rename?: Readonly<Record<string, string>>;
}

export interface StdioUpstream extends UpstreamSettings {
  kind: "stdio";
  name: string;
  command: string;
  args: string[];
  env: Record<string, string>;
  /** Absolute, or relative to the gateway's own working directory. */
  cwd?: string;
}

export interface HttpUpstream extends UpstreamSettings {
  kind: "http";
  name: string;
  url: string;
  headers: Record<string, string>;
  /** As its file says; absent: found out. */
  transport?: "streamable-http" | "http-sse";
}

export type UpstreamConfig = StdioUpstream | HttpUpstream;

export interface GatewayConfig {
  /** In the order of the files: it is the order of the merged lists. */
  upstreams: readonly UpstreamConfig[];
  /** Absent: every default. */
  settings?: GatewaySettings;
}
