// Lets a server that runs as a worker follow its parent: tells it that it listens, and closes when the parent wants.
import type { Served } from "./served.ts";
import { openParentLink } from "./worker-environment.ts";
import type { WorkerStatus } from "./worker-peer.ts";
import { workerProcess } from "./worker-process.ts";

/** The time between two reports of open connections, requests and streams, in ms. */
const reportEveryMs = 1_000;
/** What the program does after its server has closed may take this long, in ms. */
const exitMs = 1_000;

export function followParent(serving: Served): void {
  const worker = workerProcess();
  if (!worker) return;
  let told = "";
  const report = (isReady: boolean): void => {
    const { connections, load } = serving;
    const status: WorkerStatus = { isReady, state: isReady ? "ready" : "draining", connections, load };
    const text = JSON.stringify(status);
    if (text === told) return;
    told = text;
    worker.report(status);
  };
  const reporting = setInterval(() => report(true), reportEveryMs).unref();
  worker.onClose(({ graceMs, delayMs }) => {
    clearInterval(reporting);
    report(false);
    void serving.close({ graceMs, delayMs }).finally(() => {
      // What the program still does may end first.
      process.channel?.unref();
      openParentLink()?.unref();
      setTimeout(() => process.exit(0), exitMs).unref();
    });
  });
  report(true);
  worker.started(serving.port);
}

/** Tells the parent why this worker cannot start. */
export function reportFailure(error: unknown): void {
  workerProcess()?.failed(error instanceof Error ? error.message : String(error));
}
