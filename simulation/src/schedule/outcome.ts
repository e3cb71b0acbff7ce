// What a schedule needs, and how it ended.
import type { Random } from "../world/random.ts";
import type { WorldOptions } from "../world/world.ts";

export interface ScheduleCounts {
  /** How many requests or steps of tasks began. */
  readonly begun: number;
  /** How many requests a direct connection carried from one replica to another. */
  readonly forwardedDirectly: number;
}

export interface ScheduleOutcome extends ScheduleCounts {
  readonly violations: readonly string[];
  readonly events: number;
}

export interface ScheduleOptions extends WorldOptions {
  /** Makes the global sources of chance draw from the schedule. */
  setRandom(random: Random): void;
}
