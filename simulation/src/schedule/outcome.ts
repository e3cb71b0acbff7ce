// What a schedule needs, and how it ended.
import type { Random } from "../world/random.ts";
import type { WorldOptions } from "../world/world.ts";

export interface ScheduleOutcome {
  readonly violations: readonly string[];
  /** How many requests or steps of tasks began. */
  readonly begun: number;
  readonly events: number;
}

export interface ScheduleOptions extends WorldOptions {
  /** Makes the global sources of chance draw from the schedule. */
  setRandom(random: Random): void;
}
