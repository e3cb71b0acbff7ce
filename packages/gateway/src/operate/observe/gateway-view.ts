// The operator's view of the gateway at one moment.
import type { Era, TaskStatus } from "@lethe/protocol";
import type { SharedStatus } from "../../upstreams/directory/shared-state.ts";
import type { EraView } from "../../upstreams/verdict/verdict.ts";

/** What a gateway is doing now, for its administration interface. Secrets are masked. */
export interface GatewayView {
  readonly upstreams: readonly UpstreamView[];
  /** Up to 1,000 of each upstream. */
  readonly sessions: readonly SessionView[];
  readonly sessionCount: number;
  readonly pendingCalls: readonly PendingCallView[];
  readonly pendingCallCount: number;
  /** Running tasks that the gateway created from calls. */
  readonly tasks: readonly TaskView[];
  readonly taskCount: number;
  /** Each of these texts changes with its list. */
  readonly versions: Readonly<Record<"sessions" | "pending-calls" | "tasks", string>>;
  /** Absent for a gateway without replicas. */
  readonly shared?: SharedView;
}

/** How this replica works with the others. */
export interface SharedView extends SharedStatus {
  /** The first characters of its name. Each start has a new name. */
  readonly replica: string;
  /** Where new sessions open. Absent if replicas do not know each other's room. */
  readonly placement?: PlacementView;
}

/** Where new sessions of this replica's callers open. */
export interface PlacementView {
  /** Requests handed to replicas with more room for a session since the start, by reason: draining, full or crowded. */
  readonly handedOn: Readonly<Record<string, number>>;
  /** The number of other replicas that have room for sessions, by upstream. */
  readonly replicasWithRoom: Readonly<Record<string, number>>;
}

/** starting: has not been up yet. idle: starts on demand. failed: waits for a retry. */
export type UpstreamState = "starting" | "ready" | "idle" | "failed";

/** The state of one upstream: its verdict, sessions and last failure. */
export interface UpstreamView {
  readonly name: string;
  readonly kind: "stdio" | "http" | "memory" | "openapi";
  /** The command line or the URL. */
  readonly target: string;
  readonly state: UpstreamState;
  /** Why it failed. */
  readonly reason?: string;
  readonly era?: Era;
  readonly revision?: string;
  /** How callers share the upstream, and why. */
  readonly sharing?: string;
  readonly because?: string;
  readonly verdict?: VerdictView;
  /** Which callers share a session. */
  readonly affinity?: string;
  /** How the gateway uses it, in a few words. */
  readonly use?: string;
  /** What this means for callers and operators. */
  readonly warnings: readonly string[];
  /** Why its lists are outdated or incomplete. */
  readonly problems: readonly string[];
  /** The number of consecutive failures. */
  readonly failures: number;
  /** Includes ending sessions and those of earlier configurations. */
  readonly sessions: number;
  /** Sessions that lost their state since the start, by cause. */
  readonly sessionsLost: Readonly<Record<string, number>>;
  readonly waiting: number;
  readonly pending: number;
  readonly tasks: number;
  readonly tools: number;
  readonly prompts: number;
  readonly resources: number;
}

/** The verdict on an upstream, and how it was found. */
export interface VerdictView {
  /** STATELESS, STATEFUL or UNKNOWN, for the era that the gateway uses. */
  readonly word: string;
  readonly source: "configuration" | "probe" | "connection";
  /** The kind of its sessions, in the terms of `lethe probe`. */
  readonly contract?: string;
  readonly transport: string;
  readonly eras: { readonly modern: EraView; readonly legacy: EraView };
  readonly features: FeaturesView;
  /** Short descriptions of the observations. */
  readonly evidence: readonly string[];
  /** ISO 8601. */
  readonly found: string;
}

export interface FeaturesView {
  /** As the server describes itself. */
  readonly server?: { readonly name: string; readonly version: string };
  readonly capabilities: readonly string[];
}

export interface SessionView {
  readonly upstream: string;
  /** The first characters of the id. */
  readonly id: string;
  readonly caller?: string;
  /** Whether this is the gateway's own session. */
  readonly isOwn: boolean;
  /** ISO 8601. */
  readonly since: string;
  /** The time since the last request. */
  readonly idleMs: number;
  /** The number of running requests, pending calls and resource subscriptions. */
  readonly users: number;
  /** Whether the session only finishes its running calls. */
  readonly isEnding: boolean;
}

export interface PendingCallView {
  readonly upstream: string;
  /** Names the call to administrators. It gives no access to the call. */
  readonly id: string;
  /** The exchanges of the call have the same one. */
  readonly call?: string;
  /** As in SessionView. */
  readonly session: string;
  readonly caller?: string;
  readonly method: string;
  /** The tool, prompt or resource, as the caller named it. */
  readonly name: string;
  /** The methods of its input requests. */
  readonly asks: readonly string[];
  /** What it asks, by key. Masked. */
  readonly inputRequests: Readonly<Record<string, InputRequestView>>;
  /** ISO 8601. */
  readonly since: string;
  /** ISO 8601. */
  readonly expires: string;
}

/** What a call asks of its caller. */
export interface InputRequestView {
  readonly method: string;
  /** Masked. Of an elicitation: `message` and `requestedSchema`. */
  readonly params?: unknown;
}

export interface TaskView {
  readonly upstream: string;
  /** The upstream's own name of the tool. */
  readonly tool: string;
  /** The first characters of the id. */
  readonly id: string;
  readonly caller?: string;
  readonly status: TaskStatus;
  /** The last progress of the call. */
  readonly statusMessage?: string;
  /** ISO 8601. */
  readonly since: string;
  /** ISO 8601. */
  readonly updated: string;
  /** ISO 8601. */
  readonly expires: string;
  /** What it asks of its caller, by key. Masked. */
  readonly inputRequests?: Readonly<Record<string, InputRequestView>>;
}
