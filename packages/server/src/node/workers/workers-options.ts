// The options of `startWorkers`, and what it returns.
import type { KnownOptions } from "@lethe/protocol";
import type { CloseTimes } from "./messages.ts";
import type { WorkerEvent } from "./worker-event.ts";
import type { WorkerPeer } from "./worker-peer.ts";

/** Options of `startWorkers`. */
export interface StartWorkersOptions {
  /** How many processes run the program of this one, with its arguments. */
  readonly count: number;
  /** Variables that the workers get beside those of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Options of Node for the workers. Default: those of this process. */
  readonly execArgv?: readonly string[];
  /** How long a worker may stand still before it is killed, in ms. Default 30,000. While it loads its program, at least 120,000. */
  readonly stallMs?: number;
  /** Called with what happens to workers. */
  onEvent(event: WorkerEvent): void;
  /** Answers a question of the program of a worker. Default: it has none. */
  answer?(question: unknown, worker: number): Promise<unknown>;
}

export const knownStartWorkersOptions: KnownOptions<StartWorkersOptions> = {
  count: "a number",
  environment: true,
  execArgv: true,
  stallMs: true,
  onEvent: "a function",
  answer: true,
};

/** The workers of this process. */
export interface Workers {
  /** The port on which they listen. */
  readonly port: number;
  /** The workers that run now. */
  readonly peers: readonly WorkerPeer[];
  /** Asks the program of a worker. Rejects if the worker ends before it answers. */
  ask(number: number, question: unknown): Promise<unknown>;
  /**
   * Replaces each worker by a new process, one after the other: the new one is ready before the old one stops. Rejects with the reason
   * if a new one cannot start; then the rest keeps running.
   */
  replace(times: CloseTimes): Promise<void>;
  /** Ends all workers. Those that have not ended in time are killed. */
  close(times: CloseTimes): Promise<void>;
}
