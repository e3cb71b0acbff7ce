// The metrics of tasks, through @opentelemetry/api.
import type { TaskStore } from "./task-store.ts";

/** Receives what happens to tasks, for metrics. */
export interface TaskMeter {
  /** A run began or ended in this process. */
  running(step: 1 | -1): void;
  /** This process acquired a task whose worker was lost. */
  failedOver(): void;
  failed(reason: string): void;
  /** Reads the counts of the store, at most every 10 s. */
  observe(store: TaskStore): Promise<void>;
}

export const noTaskMeter: TaskMeter = {
  running() {},
  failedOver() {},
  failed() {},
  async observe() {},
};
