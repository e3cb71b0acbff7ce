// A schedule about tasks: servers run tasks while faults happen. Then all faults end, and every task must end with the right result.
import { TaskChecker } from "../history/task-checker.ts";
import { TaskCaller } from "../tasks/task-caller.ts";
import { TaskServer } from "../tasks/task-server.ts";
import { Cluster } from "../world/cluster.ts";
import type { World } from "../world/world.ts";
import { heal, planFaults } from "./faults.ts";
import type { ScheduleCounts } from "./outcome.ts";

const faultsMs = 12_000;
/** After all faults, every task ends within this time, in ms. Suspects wait up to a minute between attempts. */
const settleMs = 150_000;

export async function runTasks(world: World): Promise<ScheduleCounts> {
  const { agenda, random } = world;
  const kind = random.pick(["lasting", "lasting", "outages"] as const);
  const checker = new TaskChecker(world, { mayRepeat: kind !== "outages" });
  const cluster: Cluster<TaskServer> = new Cluster(world, random.whole(2, 3), (options) => {
    return new TaskServer({ ...options, checker });
  });
  const caller = new TaskCaller({ world, checker, servers: () => cluster.programs });
  cluster.startMissing();
  await agenda.run(500);
  planFaults(world, cluster, { kind, count: random.whole(1, 5), untilMs: faultsMs });
  const endsAt = agenda.now + faultsMs;
  const count = random.whole(1, 6);
  for (let index = 1; index <= count; index += 1) {
    const steps = Array.from({ length: random.whole(2, 6) }, () => random.pick([0, 10, 300, 1_500]));
    const work = { name: `task-${index}`, steps, asks: random.chance(0.3) };
    agenda.after(random.between(0, faultsMs / 2), () => void caller.run(work));
  }
  await agenda.run(endsAt);
  heal(world, cluster);
  const isQuiet = (): boolean => world.isViolated || caller.open.size === 0;
  await agenda.run(endsAt + settleMs, isQuiet);
  if (!isQuiet()) world.violate(`${[...caller.open].join(", ")} did not end`);
  return { begun: checker.begun, forwardedDirectly: 0 };
}
