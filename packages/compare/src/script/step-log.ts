// Records the steps of a run with their times and outcomes.
import type { StepRecord } from "../record/recording.ts";
import type { Feature } from "./script.ts";

export interface StepName {
  readonly name: string;
  readonly feature: Feature;
  readonly tool?: string;
}

export interface StepLog {
  readonly records: readonly StepRecord[];
  /** Runs a step. A failure is the outcome of the step and never rejects the promise. */
  attempt(step: StepName, run: () => Promise<string>): Promise<void>;
  skip(feature: Feature, detail: string): void;
  /** Adds a feature that the tool calls since `startedAt` show. */
  observe(feature: Feature, startedAt: number, detail: string): void;
}

export function createStepLog({ now, signal }: { now(): number; signal?: AbortSignal | undefined }): StepLog {
  const records: StepRecord[] = [];
  return {
    records,
    async attempt(step, run) {
      signal?.throwIfAborted();
      const startedAt = now();
      const outcome = await run().then(
        (detail) => ({ outcome: "done", detail }) as const,
        (error: unknown) =>
          ({ outcome: "failed", detail: error instanceof Error ? error.message : String(error) }) as const,
      );
      records.push({ ...step, startedAt, endedAt: now(), ...outcome });
    },
    skip(feature, detail) {
      records.push({ name: feature, feature, startedAt: now(), endedAt: now(), outcome: "skipped", detail });
    },
    observe(feature, startedAt, detail) {
      records.push({ name: feature, feature, startedAt, endedAt: now(), outcome: "observed", detail });
    },
  };
}
