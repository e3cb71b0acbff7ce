// The gateway as an operator sees it, at one moment.
import type { Era, Implementation } from "@lethe/protocol";

export interface GatewayView {
  readonly upstreams: readonly UpstreamView[];
  readonly sessions: readonly SessionView[];
  readonly parkedCalls: readonly ParkedCallView[];
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
  readonly server?: Implementation;
  /** Who may share what it keeps, and why that was decided. */
  readonly sharing?: string;
  readonly because?: string;
  /** What follows from it for callers and operators. */
  readonly warnings: readonly string[];
  /** In a row. */
  readonly failures: number;
  readonly sessions: number;
  readonly waiting: number;
  readonly parked: number;
  readonly tools: number;
  readonly prompts: number;
  readonly resources: number;
}

export interface SessionView {
  readonly upstream: string;
  readonly id: string;
  readonly caller?: string;
  /** ISO 8601. */
  readonly since?: string;
  readonly lastUsed?: string;
  readonly running: number;
}

export interface ParkedCallView {
  readonly upstream: string;
  readonly caller?: string;
  readonly method: string;
  readonly name?: string;
  readonly since?: string;
}
