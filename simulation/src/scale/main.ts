// npm run simulate -- --scale: measures deployments one after another, prints what each costs, and resolves with the exit code.
import { replaceGlobals } from "../world/globals.ts";
import { measureHeap } from "./heap.ts";
import { MeasuredWorld } from "./measured-world.ts";
import { parseScaleOptions, type ScaleOptions, usage } from "./options.ts";
import { type Report, toJson, toTable } from "./report.ts";
import { type Measured, runDeployment } from "./run-deployment.ts";

const maxHeapSessions = 100_000;

/** 0: measured. 2: invalid command line. */
export async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--help")) {
    console.log(usage);
    return 0;
  }
  let options: ScaleOptions;
  try {
    options = parseScaleOptions(args);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    return 2;
  }
  const report = await measure(options);
  console.log(options.isJson ? toJson(report) : toTable(report));
  return 0;
}

async function measure({ deployments, isQuiet }: ScaleOptions): Promise<Report> {
  const { setRandom } = replaceGlobals();
  // Errors are frequent in outages, and their stack traces are never read.
  Error.stackTraceLimit = 0;
  const say = (what: string): void => {
    const { user, system } = process.cpuUsage();
    if (!isQuiet) console.error(`${((user + system) / 1_000_000).toFixed(1)} s of CPU: ${what}`);
  };
  const measured: Measured[] = [];
  for (const deployment of deployments) {
    const name = `${deployment.replicas} replicas, ${deployment.sessions} sessions`;
    measured.push(await runDeployment(deployment, { setRandom, onPhase: (phase) => say(`${name}: ${phase}`) }));
  }
  say("heap");
  const createWorld = (): MeasuredWorld => {
    const world = new MeasuredWorld(1);
    setRandom(world.random);
    return world;
  };
  const most = Math.max(...deployments.map(({ sessions }) => sessions));
  const heap = await measureHeap(createWorld, Math.min(most, maxHeapSessions));
  say("done");
  return { heap, deployments: measured };
}
