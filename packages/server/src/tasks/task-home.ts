// What one run of a task needs: its stored task, and the settings of its server.
import type { Caller, JsonObject, ModernRequest } from "@lethe/protocol";
import type { Clock } from "../clock/clock.ts";
import type { JournalEntry } from "../interaction/journal.ts";
import type { TaskSettings } from "./task-settings.ts";

/** The stored task of a run. */
export interface TaskHome {
  readonly taskId: string;
  readonly fence: number;
  /** Resolves when a step may start. Undefined if it may start now. Rejects when the run lost its task. */
  whenSafe(): Promise<void> | undefined;
  /** As `TaskStore.append`, but waits while the store is out of reach, and rejects when the run lost its task. */
  append(position: number, entries: readonly JournalEntry[]): Promise<number>;
  /** Keeps the schema of a callback, as `append` keeps entries. */
  openCallback(key: string, schema: JsonObject): Promise<void>;
  report(message: string): Promise<void>;
}

export interface TaskRunOptions {
  readonly request: ModernRequest;
  readonly caller: Caller | undefined;
  readonly settings: Pick<TaskSettings, "maxJournalBytes" | "maxSleepMs">;
  readonly clock: Clock;
  /** Absent: the server has no URL for callbacks. */
  readonly toCallbackUrl?: ((taskId: string, key: string) => Promise<string>) | undefined;
}
