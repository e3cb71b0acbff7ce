// Runs one target in a worker process with a small heap, watches it, and traces a crash or a hang to its input.
import { fork } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { FromWorker, ToWorker } from "./messages.ts";
import type { Failure } from "./target.ts";
import type { WorkResult } from "./work.ts";

export interface FoundFailure extends Failure {
  readonly round: number;
}

export interface TargetOutcome {
  readonly name: string;
  readonly inputs: number;
  readonly failures: readonly FoundFailure[];
  /** The number of further failures. */
  readonly untold: number;
  /** Absent if the worker did not finish. */
  readonly result?: WorkResult | undefined;
}

export interface RunTargetOptions {
  readonly seed: string;
  readonly ms: number;
  readonly round?: number | undefined;
  readonly traceFile: string;
}

/** A round normally takes well under 1 s. */
const hangMs = 60_000;
const heapMib = 256;
/** Further failures of one target are only counted, because one defect fails many inputs. */
const maxFailures = 10;

const worker = fileURLToPath(new URL("./worker.js", import.meta.url));

export async function runTarget(name: string, options: RunTargetOptions): Promise<TargetOutcome> {
  const { seed, ms, round, traceFile } = options;
  const outcome = await runWorker({ target: name, seed, ms, round });
  const last = outcome.failures.at(-1);
  if (outcome.result || last === undefined) return outcome;
  // The worker repeats the round and records each input, to find the one that caused the failure.
  await runWorker({ target: name, seed, ms, round: last.round, traceFile });
  const input = existsSync(traceFile) ? readFileSync(traceFile, "utf8") : "";
  return { ...outcome, failures: [...outcome.failures.slice(0, -1), { ...last, input }] };
}

function runWorker(plan: ToWorker): Promise<TargetOutcome> {
  const child = fork(worker, {
    execArgv: ["--expose-gc", `--max-old-space-size=${heapMib}`],
    stdio: ["ignore", "inherit", "pipe", "ipc"],
    serialization: "json",
  });
  const failures: FoundFailure[] = [];
  let untold = 0;
  let inputs = 0;
  let round = plan.round ?? 0;
  let result: WorkResult | undefined;
  let errors = "";
  let isHanging = false;
  const watchdog = setTimeout(() => {
    isHanging = true;
    child.kill("SIGKILL");
  }, hangMs);
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-4_000);
  });
  child.on("message", (message: FromWorker) => {
    watchdog.refresh();
    if (message.kind === "round") ({ round, inputs } = message);
    else if (message.kind === "done") ({ result } = message);
    else if (failures.length < maxFailures) failures.push({ ...message.failure, round: message.round });
    else untold += 1;
  });
  child.send(plan);
  return new Promise((resolve) => {
    child.once("close", (code, signal) => {
      clearTimeout(watchdog);
      if (isHanging) failures.push({ kind: "hang", detail: `no round ended within ${hangMs / 1_000} s`, round });
      else if (result === undefined) {
        const detail = `the process ended with ${signal ?? `code ${code}`}: ${errors.trim() || "no message"}`;
        failures.push({ kind: "crash", detail, round });
      }
      resolve({ name: plan.target, inputs: result?.inputs ?? inputs, failures, untold, result });
    });
  });
}
