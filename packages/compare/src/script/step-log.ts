// The steps of a run as they are tried: when, with which outcome, and what came back.
import type { StepRecord } from "../record/recording.ts";
import type { Feature } from "./script.ts";

export interface StepName {
  readonly name: string;
  readonly feature: Feature;
  readonly tool?: string;
}

export interface StepLog {
  readonly records: readonly StepRecord[];
  /** Never rejects for what the server does: that is what is measured. */
  attempt(step: StepName, run: () => Promise<string>): Promise<void>;
  skip(feature: Feature, detail: string): void;
  /** The calls since `startedAt` show whether the feature works. */
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
