// The messages between the runner and a worker.
import type { Failure } from "./target.ts";
import type { WorkResult } from "./work.ts";

export interface ToWorker {
  readonly target: string;
  readonly seed: string;
  readonly ms: number;
  readonly round?: number | undefined;
  /** The file for the current input. After a crash, it contains the input that caused it. */
  readonly traceFile?: string | undefined;
}

export type FromWorker =
  | { readonly kind: "round"; readonly round: number; readonly inputs: number }
  | { readonly kind: "failure"; readonly round: number; readonly failure: Failure }
  | { readonly kind: "done"; readonly result: WorkResult };
