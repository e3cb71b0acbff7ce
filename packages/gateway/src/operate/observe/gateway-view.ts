// The gateway as an operator sees it, at one moment.
import type { Era } from "@lethe/protocol";
import type { EraView } from "../../upstreams/verdict/verdict.ts";

export interface GatewayView {
  readonly upstreams: readonly UpstreamView[];
  readonly sessions: readonly SessionView[];
  readonly pendingCalls: readonly PendingCallView[];
  /** That the gateway has made of calls, and that have not ended. */
  readonly tasks: readonly TaskView[];
  /** Absent where the gateway is alone. */
  readonly shared?: SharedView;
}

/** What this replica has to do with the others. */
export interface SharedView {
  /** The beginning of its name, which is another one after each start. */
  readonly replica: string;
  /** False while the place where replicas meet cannot be reached. */
  readonly isReached: boolean;
  /** Sessions that it keeps, and the others know of. */
  readonly leases: number;
  /** Requests that went on to other replicas, since the start. */
  readonly sent: number;
  /** Requests that came from other replicas, since the start. */
  readonly received: number;
}

/** starting: not yet up for the first time. idle: starts when it is called. failed: waits to be tried again. */
export type UpstreamState = "starting" | "ready" | "idle" | "failed";

export interface UpstreamView {
  readonly name: string;
  readonly kind: "stdio" | "http";
  /** Its command line or URL. */
  readonly target: string;
  readonly state: UpstreamState;
  /** Why it failed. */
  readonly reason?: string;
  readonly era?: Era;
  readonly revision?: string;
  /** What it keeps, and why that is believed. */
  readonly sharing?: string;
  readonly because?: string;
  readonly verdict?: VerdictView;
  /** Who shares a session of it. */
  readonly affinity?: string;
  /** What the gateway does with it, in few words. */
  readonly use?: string;
  /** What follows from it for callers and operators. */
  readonly warnings: readonly string[];
  /** Why its lists are old, or not all that it has. */
  readonly problems: readonly string[];
  /** In a row. */
  readonly failures: number;
  /** Those that are ending, and those of its configurations before, among them. */
  readonly sessions: number;
  readonly waiting: number;
  readonly pending: number;
  readonly tasks: number;
  readonly tools: number;
  readonly prompts: number;
  readonly resources: number;
}

/** What an upstream is, and how that was found out. */
export interface VerdictView {
  /** STATELESS, STATEFUL or UNKNOWN: of the era that the gateway speaks with it. */
  readonly word: string;
  readonly source: "configuration" | "probe" | "connection";
  /** What its sessions are, in the words of `lethe probe`. */
  readonly contract?: string;
  readonly transport: string;
  readonly eras: { readonly modern: EraView; readonly legacy: EraView };
  readonly features: FeaturesView;
  /** In short. */
  readonly evidence: readonly string[];
  /** ISO 8601. */
  readonly found: string;
}

export interface FeaturesView {
  /** By its own word. */
  readonly server?: { readonly name: string; readonly version: string };
  readonly capabilities: readonly string[];
}

export interface SessionView {
  readonly upstream: string;
  /** The beginning of it. */
  readonly id: string;
  readonly caller?: string;
  /** The gateway's own. */
  readonly isOwn: boolean;
  /** ISO 8601. */
  readonly since: string;
  /** Since its last request. */
  readonly idleMs: number;
  /** Requests that run, calls that are pending, resources that are watched. */
  readonly users: number;
  /** It finishes what it has: what is new goes to other sessions, or nowhere. */
  readonly isEnding: boolean;
}

export interface PendingCallView {
  readonly upstream: string;
  /** As in SessionView. */
  readonly session: string;
  readonly caller?: string;
  /** Tool, prompt or resource, as its caller named it. */
  readonly name: string;
  /** The methods of its questions. */
  readonly asks: readonly string[];
  /** ISO 8601. */
  readonly expires: string;
}

export interface TaskView {
  readonly upstream: string;
  /** In the upstream's own name. */
  readonly tool: string;
  /** The beginning of it. */
  readonly id: string;
  readonly caller?: string;
  readonly status: string;
  /** ISO 8601. */
  readonly since: string;
  /** ISO 8601. */
  readonly expires: string;
}
