// What workers of one parent know of each other.

import type { ServingLoad } from "../../http/serving-load.ts";

/** A worker as its parent and the other workers see it. */
export interface WorkerPeer {
  /** Rises with each worker that the parent starts, from 1. */
  readonly number: number;
  /** The unique id of the process. */
  readonly id: string;
  /** Whether it has started, and still takes connections. */
  readonly isListening: boolean;
  /** A worker that is leaving takes no more forwarded requests and owns no sessions. */
  readonly isLeaving: boolean;
  /** What the worker last said about itself. */
  readonly status: WorkerStatus;
}

/** What a worker says about itself. */
export interface WorkerStatus {
  /** Whether it is ready for traffic. */
  readonly isReady: boolean;
  /** A short description, such as "ready" or "starting". */
  readonly state: string;
  /** Open connections. */
  readonly connections: number;
  /** The requests and streams that it has open. Default: unknown. */
  readonly load?: ServingLoad;
}

/** `gone`: the worker has ended. `busy`: too much waits for it. The message was not delivered. */
export type UndeliveredReason = "gone" | "busy";
