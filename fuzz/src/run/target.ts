// The interface of a fuzz target: a name and an attack that runs in rounds. The inputs of a round depend only on its seed.
import type { Random } from "../input/random.ts";
import type { Health } from "./health.ts";

/**
 * - crash: the process under attack ended, or an error reached a place where no input may cause one
 * - wrong: an answer that the protocol does not allow, for example a status 5xx or a broken round trip
 * - hang: no answer in time
 * - memory: the heap keeps growing
 * - delay: one turn of the event loop took too long
 */
export const failureKinds = ["crash", "wrong", "hang", "memory", "delay"] as const;
export type FailureKind = (typeof failureKinds)[number];

export interface Failure {
  readonly kind: FailureKind;
  /** The expected and the actual outcome. */
  readonly detail: string;
  readonly input?: unknown;
}

/** Receives the reports of a round. */
export interface Tally {
  /** Call this before using each input, so that the runner can trace a crash to it. */
  input(input: unknown): void;
  /** Adds inputs that another process counted. */
  inputs(count: number): void;
  fail(failure: Failure): void;
}

export interface Attack {
  /** `round` counts from 0. */
  round(random: Random, tally: Tally, round: number): Promise<void>;
  /** Measures the process under attack. */
  health(): Promise<Health>;
  close(): Promise<void>;
}

export interface Target {
  readonly name: string;
  /** The target's share of the time. Default 1. */
  readonly weight?: number;
  /** Growth of the heap that does not count as a leak, in bytes. Default 8 MiB. */
  readonly allowedGrowthBytes?: number;
  /** The longest turn of the event loop, in milliseconds of CPU time. Default 1,000. */
  readonly maxBusyMs?: number;
  start(): Promise<Attack>;
}
