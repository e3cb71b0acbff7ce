// Runs one schedule: two of three are about sessions of a gateway, the others about tasks.
import { World } from "../world/world.ts";
import type { ScheduleOptions, ScheduleOutcome } from "./outcome.ts";
import { runSessions } from "./run-sessions.ts";
import { runTasks } from "./run-tasks.ts";

export async function runSchedule(number: number, options: ScheduleOptions): Promise<ScheduleOutcome> {
  const world = new World(number, options);
  options.setRandom(world.random);
  const counts = await (number % 3 === 0 ? runTasks(world) : runSessions(world));
  return { violations: world.violations, ...counts, events: world.agenda.count };
}
