// Runs a command of the tests, shows its output, and keeps the end of it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));
export const results = `${root}/results`;

/** The length of the output that is kept, in characters. */
const keptLength = 4_000;
/** The time for the last output after the command has ended, in ms. A process that it left running may hold the pipe open. */
const lastOutputMs = 2_000;

/**
 * Runs a Node program to its end. Returns its exit status, null after a signal, and the end of its output. In the background it gets the
 * time of the processors that others leave, and shows no output.
 */
export async function runCommand({ node = process.execPath, args, isInBackground = false }, env) {
  mkdirSync(results, { recursive: true });
  const child = spawn(node, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } });
  if (isInBackground) {
    setPriority(child.pid, constants.priority.PRIORITY_LOW);
    process.once("exit", () => child.kill());
  }
  let output = "";
  for (const name of ["stdout", "stderr"]) {
    child[name].setEncoding("utf8").on("data", (text) => {
      if (!isInBackground) process[name].write(text);
      output = (output + text).slice(-keptLength);
    });
  }
  const closed = once(child, "close");
  const [status] = await once(child, "exit");
  await Promise.race([closed, wait(lastOutputMs)]);
  for (const name of ["stdout", "stderr"]) child[name].destroy();
  return { status, output };
}
