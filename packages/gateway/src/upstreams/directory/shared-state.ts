// What the replicas of a gateway share. Whoever runs the gateway brings it along: this package knows no place to keep it.
import type { Dispatch } from "@lethe/protocol";
import type { Directory, KeyRing, LegacyOptions, RateCounter, SingleUseStore } from "@lethe/server/stores";
import type { RedisSettings } from "../../config/gateway-settings.ts";

export interface SharedState {
  readonly directory: Directory;
  /** Counts requests for all replicas. Default: each counts for itself. */
  readonly rates?: RateCounter;
  /** Of the sessions of older clients. Default: each replica knows what came to it. */
  readonly legacy?: Pick<LegacyOptions, "answers" | "events" | "relay" | "store">;
  /** Remembers which questions were answered at any replica. Default: each replica knows what came to it. */
  readonly singleUse?: SingleUseStore;
  readonly status: SharedStatus;
  /** The others take over from now on. What runs for them is let finish for so long, in ms. */
  leave(graceMs: number): Promise<void>;
  close(): Promise<void>;
}

export interface SharedStatus {
  /** False while the place where it is kept cannot be reached. */
  readonly isReached: boolean;
  /** Sessions that this replica keeps, and the others know of. */
  readonly leases: number;
  /** Requests that went on to other replicas, since the start. */
  readonly sent: number;
  /** Requests that came from other replicas, since the start. */
  readonly received: number;
}

export interface ShareParts {
  readonly settings: RedisSettings;
  /** Of the deployment. */
  readonly ring: KeyRing;
  /** An endpoint of this replica; undefined when there is none at this path, or none yet. */
  dispatchAt(path: string): Dispatch | undefined;
  /** What is shared is out of reach, and why: once per loss. */
  onLost(reason: string): void;
  onBack(): void;
  /** Something else that operators should know. */
  onProblem(problem: string): void;
}

/** Rejects when it is out of reach. */
export type Share = (parts: ShareParts) => Promise<SharedState>;
