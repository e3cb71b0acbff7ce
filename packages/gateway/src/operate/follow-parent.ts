// Lets a gateway that is one of several workers follow its parent: tells it what it is doing, reloads and closes when the parent wants.
import type { WorkerProcess, WorkerStatus } from "@lethe/server/workers";
import type { ReloadOutcome } from "./admin/api/health.ts";
import type { CloseOptions } from "./listen.ts";
import type { Runtime } from "./runtime.ts";

export interface Followed {
  readonly runtime: Runtime;
  readonly served: { reload(): Promise<ReloadOutcome> };
  /** Ends the gateway. Without times, it has those of its configuration. */
  close(times?: CloseOptions): Promise<void>;
  /** The port on which all workers listen. */
  readonly port: number;
}

/** The question of parent and workers by which the configuration is reloaded. */
export const reloadQuestion = "reload";
/** How often changes of the own status are noticed, in ms. */
const reportEveryMs = 500;

export function followParent(worker: WorkerProcess, { runtime, served, close, port }: Followed): void {
  let told = "";
  const report = (): void => {
    const { isReady, state } = runtime.ownReadiness;
    const status: WorkerStatus = { isReady, state, connections: runtime.connections };
    const text = JSON.stringify(status);
    if (text !== told) worker.report(status);
    told = text;
  };
  const reporting = setInterval(report, reportEveryMs).unref();
  worker.onAsk(async (question) => (question === reloadQuestion ? served.reload() : undefined));
  runtime.reloadsBy(async () => (await worker.ask(reloadQuestion)) as ReloadOutcome);
  worker.onClose(({ isWhole, isAbandoned, graceMs, delayMs }) => {
    if (isWhole) runtime.stopsWhole();
    const closed = close(isAbandoned ? { graceMs, delayMs } : undefined);
    report();
    void closed.finally(() => {
      clearInterval(reporting);
      process.exit(0);
    });
  });
  report();
  worker.started(port);
}
