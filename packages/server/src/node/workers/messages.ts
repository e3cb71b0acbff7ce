// The messages of control between a parent and its workers, and JSON as the body of a frame.
import type { WorkerStatus } from "./worker-peer.ts";

/** How long a worker has to finish, in ms. As the options of `close` of a server. */
export interface CloseTimes {
  readonly graceMs: number;
  readonly delayMs: number;
}

export type ControlMessage =
  /** To the parent: it listens, at this port, or what else the program of the worker says. */
  | { readonly kind: "started"; readonly port: number }
  | { readonly kind: "status"; readonly status: WorkerStatus }
  /** To the parent: its sessions may be acquired by others, and those with state have lost it. */
  | { readonly kind: "leaving" }
  /** To the parent: it cannot start, for this reason. */
  | { readonly kind: "failed"; readonly reason: string; readonly cause?: unknown }
  /** To a worker: finish and end. `isWhole`: all workers end, and none replaces them. */
  | ({ readonly kind: "close"; readonly isWhole: boolean } & CloseTimes)
  /** Between the programs of parent and worker. `call` pairs a question with its answer. */
  | { readonly kind: "ask"; readonly call: number; readonly question: unknown }
  | { readonly kind: "reply"; readonly call: number; readonly answer?: unknown; readonly problem?: string };

const nothing = Buffer.alloc(0);

export function toJsonBody(value: unknown): Buffer {
  return value === undefined ? nothing : Buffer.from(JSON.stringify(value));
}

/** Frames come from processes of the same program, so their JSON is not checked. */
export function parseJson(body: Buffer): unknown {
  return body.length === 0 ? undefined : JSON.parse(body.toString("utf8"));
}
