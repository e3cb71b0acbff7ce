// The state that replicas of a gateway share. The program that runs the gateway provides the store.
import type { Dispatch } from "@lethe/protocol";
import type { Directory, KeyRing, LegacyOptions, RateCounter, SingleUseStore } from "@lethe/server/stores";
import type { RedisSettings } from "../../config/gateway-settings.ts";

export interface SharedState {
  readonly directory: Directory;
  /** Counts requests across replicas. Default: each replica counts its own. */
  readonly rates?: RateCounter;
  /** The sessions of legacy clients. Default: each replica knows only its own. */
  readonly legacy?: Pick<LegacyOptions, "answers" | "events" | "relay" | "store">;
  /** Replay protection across replicas. Default: each replica knows only the responses it received. */
  readonly singleUse?: SingleUseStore;
  readonly status: SharedStatus;
  /** Hands the sessions over to other replicas. Requests that run for other replicas have `graceMs` to finish. */
  leave(graceMs: number): Promise<void>;
  close(): Promise<void>;
}

export interface SharedStatus {
  /** Whether the shared store is reachable. */
  readonly isReached: boolean;
  /** The number of sessions that this replica owns. */
  readonly leases: number;
  /** The number of requests forwarded to other replicas since the start. */
  readonly sent: number;
  /** The number of requests received from other replicas since the start. */
  readonly received: number;
}

export interface ShareParts {
  readonly settings: RedisSettings;
  /** The sealing keys of the deployment. */
  readonly ring: KeyRing;
  /** Returns an endpoint of this replica, or undefined if the path has none, or none yet. */
  dispatchAt(path: string): Dispatch | undefined;
  /** Called once per outage with the reason. */
  onLost(reason: string): void;
  onBack(): void;
  /** Called with other problems that operators should know. */
  onProblem(problem: string): void;
}

/** Rejects if the store is unreachable. */
export type Share = (parts: ShareParts) => Promise<SharedState>;
