// A schedule about sessions: a gateway serves callers while faults happen. Then all faults end, and everything must end and work again.
import { Checker } from "../history/checker.ts";
import { Caller } from "../replicas/caller.ts";
import { Replica } from "../replicas/replica.ts";
import { Cluster } from "../world/cluster.ts";
import type { World } from "../world/world.ts";
import { heal, planFaults } from "./faults.ts";
import type { ScheduleCounts } from "./outcome.ts";

/** The part of replicas with direct connections. */
const directParts = [0, 0, 0.7, 1];
const faultsMs = 8_000;
/** After all faults, every call ends within this time, in ms. */
const settleMs = 35_000;
const recoveryMs = 5_000;
/** New calls after the recovery end within this time, in ms. */
const answerMs = 8_000;

export async function runSessions(world: World): Promise<ScheduleCounts> {
  const { agenda, random } = world;
  const checker = new Checker(world);
  const directPart = random.pick(directParts);
  const cluster: Cluster<Replica> = new Cluster(world, random.whole(2, 4), (options) => {
    const isDirect = random.chance(directPart);
    return new Replica({ ...options, checker, isDirect, others: () => cluster.alive });
  });
  const sessions = Array.from({ length: random.whole(1, 4) }, (_, index) => `session-${index + 1}`);
  const callers = Array.from({ length: random.whole(2, 4) }, (_, index) => {
    return new Caller({ world, checker, name: `caller-${index + 1}`, sessions, replicas: () => cluster.programs });
  });
  const isQuiet = (): boolean => world.isViolated || callers.every(({ running }) => running === 0);

  cluster.startMissing();
  await agenda.run(random.pick([100, 1_000, 3_000]));
  planFaults(world, cluster, { kind: directPart > 0 ? "direct" : "all", count: random.whole(1, 8), untilMs: faultsMs });
  const pace = random.pick([100, 300, 1_000]);
  const endsAt = agenda.now + faultsMs;
  for (let at = agenda.now; at < endsAt; at += pace * random.between(0, 2)) {
    agenda.at(at, () => void random.pick(callers).call());
  }
  await agenda.run(endsAt);
  heal(world, cluster);
  await agenda.run(endsAt + recoveryMs, () => world.isViolated);
  await agenda.run(endsAt + settleMs, isQuiet);
  if (!isQuiet()) world.violate("calls have not ended long after all faults");
  if (!world.isViolated) await checkRecovery(world, callers);
  return { begun: checker.begun, forwardedDirectly: checker.forwardedDirectly };
}

async function checkRecovery(world: World, callers: readonly Caller[]): Promise<void> {
  for (const caller of callers) {
    void caller.call("count").then((outcome) => {
      if (outcome !== "done") world.violate(`a call long after all faults ended: ${outcome}`);
    });
  }
  const isQuiet = (): boolean => callers.every(({ running }) => running === 0);
  await world.agenda.run(world.agenda.now + answerMs, isQuiet);
  if (!isQuiet()) world.violate("a call long after all faults has not ended");
}
