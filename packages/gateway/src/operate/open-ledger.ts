// Opens the ledger of upstream processes, after ending those that an earlier gateway left running.
import { endOrphanedProcesses } from "../upstreams/connection/end-orphaned-processes.ts";
import { openProcessLedger, type ProcessLedger } from "../upstreams/connection/process-ledger.ts";
import type { Log } from "./observe/log.ts";

/** Orphaned processes end first, because they may hold resources that this gateway's upstreams need. */
export async function openLedger(folder: string | undefined, log: Log): Promise<ProcessLedger | undefined> {
  if (folder === undefined) return undefined;
  for (const { upstream, pid } of await endOrphanedProcesses(folder)) {
    const message = `ended process ${pid} of ${upstream}, left running by a gateway that was killed`;
    log.warn("process.orphaned", message, { upstream, pid });
  }
  return openProcessLedger(folder, (error) =>
    log.warn("process.unrecorded", `running processes are not recorded in ${folder}: ${error.message}`),
  );
}
