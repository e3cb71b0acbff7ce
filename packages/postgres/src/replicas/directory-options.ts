// The options of the directory of gateway replicas in PostgreSQL.
import type { Dispatch, KnownOptions } from "@lethe/protocol";
import type { Clock, KeyRing } from "@lethe/server/stores";
import type { PostgresLink } from "../connection/postgres-link.ts";
import type { ReplicaChange } from "./membership.ts";
import { knownTimingOptions, type TimingOptions } from "./timings.ts";

/** Options of `createPostgresDirectory`. */
export interface PostgresDirectoryOptions extends TimingOptions {
  /** The connection to PostgreSQL. It stays open when the directory closes. */
  readonly postgres: PostgresLink;
  /** The keys of the deployment. Replicas with other keys cannot read each other's messages. */
  readonly ring: KeyRing;
  /** Returns the endpoint of this replica at `path`, or undefined when there is none. */
  dispatchAt(path: string): Dispatch | undefined;
  /** Called with problems that an operator should know. */
  onProblem(problem: string): void;
  /** Default: the clock of this process. */
  readonly clock?: Clock;
  /** Called when another replica joined, left or was lost. Default: no report. */
  onReplica?(change: ReplicaChange): void;
  /** Called when PostgreSQL rejects the renewals of this replica, with the reason, and with undefined when one succeeds. Default: no report. */
  onRefused?(reason: string | undefined): void;
  /**
   * How long a request waits until PostgreSQL names the owner of its session, in ms. Then it fails as not started. Default: the timeout of
   * statements.
   */
  readonly lookupMs?: number | undefined;
  /** Concurrent requests to other replicas, and from them. Default 10,000 each. */
  readonly maxCalls?: number;
  /** Size of a forwarded request or answer as JSON, in bytes. Default 8 MiB. */
  readonly maxMessageBytes?: number;
}

export const knownPostgresDirectoryOptions: KnownOptions<PostgresDirectoryOptions> = {
  ...knownTimingOptions,
  postgres: "an object",
  ring: "an object",
  dispatchAt: "a function",
  onProblem: "a function",
  clock: true,
  onReplica: true,
  onRefused: true,
  lookupMs: true,
  maxCalls: true,
  maxMessageBytes: true,
};
