// Runs one target in a separate process, so that a crash or a full heap ends only this process. Started by run-target.ts.
import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import type { FromWorker, ToWorker } from "./run/messages.ts";
import { toText } from "./run/to-text.ts";
import { work } from "./run/work.ts";
import { targets } from "./targets.ts";

/** Keeps the process alive, so that a promise that never settles appears as a hang and not as success. */
const alive = setInterval(() => {}, 60_000);

function tell(message: FromWorker): void {
  process.send?.(message);
}

process.once("message", (plan: ToWorker) => {
  run(plan).then(
    () => {
      clearInterval(alive);
      process.disconnect();
    },
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
// The runner has ended.
process.once("disconnect", () => process.exit());

async function run({ target: name, seed, ms, round, traceFile }: ToWorker): Promise<void> {
  const target = targets.find((one) => one.name === name);
  if (!target) throw new Error(`unknown target: ${name}`);
  const trace = traceFile === undefined ? undefined : openSync(traceFile, "w");
  const result = await work(target, {
    ...{ seed, ms, round },
    onRound: (number, inputs) => tell({ kind: "round", round: number, inputs }),
    onFailure: (failure, number) =>
      tell({ kind: "failure", round: number, failure: { ...failure, input: toText(failure.input) } }),
    ...(trace !== undefined && {
      onInput(input: unknown) {
        ftruncateSync(trace);
        writeSync(trace, toText(input), 0);
      },
    }),
  });
  if (trace !== undefined) closeSync(trace);
  tell({ kind: "done", result });
}
