// The state that replicas of a gateway share. The program that runs the gateway provides the store.
import type { Dispatch, JsonObject } from "@lethe/protocol";
import type { Directory, KeyRing, LegacyOptions, RateCounter, SingleUseStore } from "@lethe/server/stores";
import type { RedisSettings } from "../../config/schema/settings.ts";

/** The stores that replicas of a gateway share, such as those in Redis. */
export interface SharedState {
  readonly directory: Directory;
  /** Counts requests across replicas. Default: each replica counts its own. */
  readonly rates?: RateCounter;
  /** The sessions of legacy clients. Default: each replica knows only its own. */
  readonly legacy?: Pick<LegacyOptions, "clientMessages" | "events" | "relay" | "store">;
  /** Replay protection across replicas. Default: each replica knows only the responses it received. */
  readonly singleUse?: SingleUseStore;
  /** Records of tasks that the gateway made of calls. Default: a task ends with its replica. */
  readonly taskRecords?: SharedRecords;
  readonly status: SharedStatus;
  /** The ids of the other replicas that are alive. Default: they are unknown, and administration shows this replica alone. */
  others?(): readonly string[];
  /**
   * How other replicas ask this one directly: with a POST request to this path of the main listener and a sealed question in this
   * header. `answer` returns undefined for a text that is no question to this replica. Default: they cannot.
   */
  readonly peers?: {
    readonly path: string;
    readonly header: string;
    answer(question: string): string | undefined;
  };
  /** Hands the sessions over to other replicas. Requests that run for other replicas have `graceMs` to finish. */
  leave(graceMs: number): Promise<void>;
  close(): Promise<void>;
}

/** Small sealed records of all replicas. The methods reject when the store is unreachable. */
export interface SharedRecords {
  /** Undefined for a record that is unknown or has expired. */
  read(key: string): Promise<SharedRecord | undefined>;
  /**
   * Replaces the record that had `version`, or creates it with version 0. Returns false if another replica was faster. The
   * record expires after `ttlMs`. Rejects with RangeError when it is too large.
   */
  write(key: string, value: JsonObject, options: { version: number; ttlMs: number }): Promise<boolean>;
}

export interface SharedRecord {
  readonly value: JsonObject;
  readonly version: number;
}

/** Whether a replica reaches the shared state, and what it shares. */
export interface SharedStatus {
  /** Whether the shared store is reachable and answers. */
  readonly isReached: boolean;
  /** What is wrong with the shared store. */
  readonly problems: readonly SharedProblem[];
  /** Whether other replicas reach the store and this one does not, for long enough to send its traffic elsewhere. */
  readonly isCutOff: boolean;
  /** The number of sessions that this replica owns. */
  readonly leases: number;
  /** The number of requests forwarded to other replicas since the start. */
  readonly sent: number;
  /** The number of requests received from other replicas since the start. */
  readonly received: number;
  /** The number of messages sent to other replicas since the start, by what carried them. Absent where nothing but one carrier exists. */
  readonly messages?: { readonly redis: number; readonly direct: number };
  /** The number of direct connections to other replicas. Absent where there are none. */
  readonly links?: number;
  /** The number of other replicas that are alive. */
  readonly replicas: number;
  /** The number of other replicas that were lost since the start. */
  readonly replicasLost: number;
  /** How long ago this replica sent the last heartbeat that the store confirmed, in ms. */
  readonly leaseAgeMs: number;
}

/** `left`: it stopped in order, or the store lost its record. `lost`: it was killed, stands still or is cut off from the store, and lost its sessions. */
export interface ReplicaChange {
  readonly kind: "joined" | "left" | "lost";
  readonly replica: string;
  /** The number of other replicas that are alive now. */
  readonly others: number;
}

/** A direct connection to another replica began or ended. */
export interface LinkChange {
  readonly kind: "up" | "down";
  readonly replica: string;
  /** Why it ended. "" for one that begins. */
  readonly reason: string;
}

export interface SharedProblem {
  /** One word for metrics, such as "full". */
  readonly reason: string;
  /** What is wrong and what to do. */
  readonly text: string;
}

/** What a gateway passes to the function that connects its shared state. */
export interface ShareParts<Settings = RedisSettings> {
  readonly settings: Settings;
  /** The sealing keys of the deployment. */
  readonly ring: KeyRing;
  /** Where this replica listens. Undefined while the system has not chosen the port. */
  readonly listens: { readonly host: string; readonly port: number } | undefined;
  /** How long a request waits until the store names the owner of its session, in ms. Undefined: until the store has failed. */
  readonly lookupMs: number | undefined;
  /** Returns an endpoint of this replica, or undefined if the path has none, or none yet. */
  dispatchAt(path: string): Dispatch | undefined;
  /** Called once per outage with the reason. */
  onLost(reason: string): void;
  onBack(): void;
  /** Called once when the store becomes unusable in another way, or loses data. */
  onTrouble(problem: SharedProblem): void;
  /** Called when such a problem has ended. */
  onSolved(reason: string): void;
  /** Called when another replica joined, left or was lost. */
  onReplica(change: ReplicaChange): void;
  /** Called when a direct connection to another replica begins or ends. */
  onLink(change: LinkChange): void;
  /** Called with other problems that operators should know. */
  onProblem(problem: string): void;
}

/** Rejects if the store is unreachable. */
export type Share<Settings = RedisSettings> = (parts: ShareParts<Settings>) => Promise<SharedState>;
