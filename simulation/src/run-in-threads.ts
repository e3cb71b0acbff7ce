// Runs schedules in several threads: each thread asks for a few more when it has finished its last ones.
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { WorkerReport, WorkerTask } from "./worker.ts";

export interface Work {
  readonly from: number;
  readonly schedules: number;
  readonly threads: number;
  /** Called after each few schedules. Returns false to stop. */
  onReport(report: WorkerReport): boolean;
}

const batchSize = 20;

/** Rejects with the error of a thread that fails. */
export async function runInThreads({ from, schedules, threads, onReport }: Work): Promise<void> {
  const end = from + schedules;
  let next = from;
  let isOver = false;

  async function serve(worker: Worker): Promise<void> {
    while (!isOver && next < end) {
      const task: WorkerTask = { from: next, count: Math.min(batchSize, end - next) };
      next += task.count;
      worker.postMessage(task);
      const [report] = (await once(worker, "message")) as [WorkerReport];
      if (!onReport(report)) isOver = true;
    }
  }

  const workers = Array.from({ length: Math.min(threads, schedules) }, () => {
    return new Worker(new URL("./worker.js", import.meta.url));
  });
  try {
    await Promise.all(workers.map(serve));
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}
