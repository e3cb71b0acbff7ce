// Measures ten thousand concurrent tasks in one process: the memory of each, and the time until the client has all results.
import type { Contender } from "../contenders.ts";
import { awaitTasks, beginTasks } from "../load/task-load.ts";
import { startControlledChild } from "../measure/controlled-child.ts";
import type { Column } from "../measure/section.ts";
import type { Sample } from "../measure/statistics.ts";
import { rssBytesOf } from "../measure/usage.ts";
import { type Plan, readyAtOnce, takeTurns, type Workload } from "./workload.ts";

const taskCount = 10_000;
/** The warm-up, so that loading and compilation do not count. */
const warmCount = 500;

const columns: readonly Column[] = [
  { metric: "begun", label: "started/s", decimals: 0 },
  { metric: "heap", label: "heap KB/task", decimals: 2 },
  { metric: "rss", label: "RSS KB/task", decimals: 2 },
  { metric: "done", label: "ms to all results", decimals: 0 },
  { metric: "kept", label: "heap KB/result", decimals: 2 },
];

export const tasksWorkload: Workload = {
  id: "tasks",
  isMain: false,
  async run(plan) {
    const able = plan.contenders.filter(
      ({ http, lacks, isVariant }) => http && !isVariant && !lacks?.includes("tasks"),
    );
    const kinds = able.flatMap((contender) => [
      { ...contender, name: `${contender.name}, in memory`, store: "memory" },
      { ...contender, name: `${contender.name}, in a file`, store: "file" },
    ]);
    const rows = await takeTurns(plan, kinds, async (kind) => readyAtOnce(() => measure(kind, plan)));
    const title = `${taskCount.toLocaleString("en-US")} concurrent tasks`;
    return { id: "tasks", title, columns, rows, notes: [] };
  },
};

async function measure({ http = [], store }: Contender & { store: string }, { cores }: Plan): Promise<Sample> {
  const child = await startControlledChild(cores.prefix, http, { TASKS: store });
  const { port } = child;
  const sizes = async () => ({ heap: await child.heapBytes(), rss: rssBytesOf(child.pid) ?? Number.NaN });
  const perTask = (after: number, before: number) => (after - before) / 1000 / taskCount;
  try {
    const warm = await beginTasks(port, warmCount);
    child.change(1);
    await awaitTasks(port, warm);
    const before = await sizes();
    const begin = performance.now();
    const taskIds = await beginTasks(port, taskCount);
    const begun = (taskCount / (performance.now() - begin)) * 1000;
    const working = await sizes();
    const released = performance.now();
    child.change(1);
    await awaitTasks(port, taskIds);
    const done = performance.now() - released;
    const kept = await sizes();
    return {
      begun,
      done,
      heap: perTask(working.heap, before.heap),
      rss: perTask(working.rss, before.rss),
      kept: perTask(kept.heap, before.heap),
    };
  } finally {
    await child.stop();
  }
}
