// The console blocks of a document: their commands and output, and how a test runs them.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { expect } from "vitest";

export interface Step {
  readonly command: string;
  /** Lines of output; "..." stands for any lines. */
  readonly output: readonly string[];
}

export function stepsIn(text: string): Step[] {
  const blocks = [...text.matchAll(/^```console\n(.*?)^```$/gms)].map(([, block = ""]) => block);
  return blocks
    .flatMap((block) => block.split(/^\$ /m).slice(1))
    .map((part) => {
      const [command = "", ...output] = part.trimEnd().split("\n");
      return { command, output };
    });
}

export interface Shell {
  /** Runs a command to its end, or, if it listens, until it prints `listening`. Resolves with both streams. */
  run(command: string, cwd: string): Promise<string>;
  /** Kills the programs that listen. */
  close(): void;
}

/** `environment` is read at each run. */
export function createShell(environment: () => NodeJS.ProcessEnv, listening: RegExp = /^Listening on /m): Shell {
  const running: ChildProcess[] = [];
  return {
    async run(command, cwd) {
      const child = spawn(command, {
        cwd,
        shell: true,
        env: environment(),
        stdio: ["ignore", "pipe", "pipe"],
        detached: true,
      });
      let output = "";
      const closed = once(child, "close");
      const isListening = new Promise<void>((resolve) => {
        for (const stream of [child.stdout, child.stderr]) {
          stream.setEncoding("utf8").on("data", (text: string) => {
            output += text;
            if (!listening.test(output)) return;
            running.push(child);
            resolve();
          });
        }
      });
      await Promise.race([closed, isListening]);
      return output;
    },
    close() {
      for (const { pid } of running.splice(0)) if (pid !== undefined) process.kill(-pid, "SIGKILL");
    },
  };
}

/** Every line of the document is in the output, in this order. */
export function expectOutput(actual: string, { command, output }: Step): void {
  const lines = actual.split("\n").map((line) => line.trimEnd());
  let from = 0;
  for (const line of output) {
    if (line === "...") continue;
    const at = lines.indexOf(line, from);
    expect(at, `"${command}" prints "${line}"; it printed:\n${actual}`).toBeGreaterThanOrEqual(from);
    from = at + 1;
  }
}
