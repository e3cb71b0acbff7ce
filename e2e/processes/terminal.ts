// Runs a command in a pseudo terminal, created by `script` of util-linux, and types like a person.
import { spawn } from "node:child_process";
import { once } from "node:events";

export interface TerminalOutput {
  code: number | null;
  /** Both streams, with all control sequences. */
  shown: string;
}

/** Each step waits for a text that was not shown before, then types. A line is ended by "\r". */
export async function runInTerminal(
  command: readonly string[],
  steps: readonly (readonly [shown: string, typed: string])[],
): Promise<TerminalOutput> {
  const line = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const child = spawn("script", ["-qec", line, "/dev/null"], { stdio: ["pipe", "pipe", "inherit"] });
  const closed = once(child, "close");
  const waiting = [...steps];
  let shown = "";
  let seen = 0;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
    for (let step = waiting[0]; step; step = waiting[0]) {
      const found = shown.indexOf(step[0], seen);
      if (found === -1) return;
      seen = found + step[0].length;
      child.stdin.write(step[1]);
      waiting.shift();
    }
  });
  const [code] = (await closed) as [number | null];
  if (waiting.length > 0) throw new Error(`the command ended before it showed ${waiting[0]?.[0]}:\n${shown}`);
  return { code, shown };
}
