// Runs one contender as a separate process.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";

export interface Child {
  pid: number;
  process: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Kills the process and waits for its end. */
  stop(): Promise<void>;
  /** Rejects if the process ends before `stop`. Never resolves. */
  died: Promise<never>;
}

export interface HttpChild extends Child {
  port: number;
}

const startLimitMs = 15_000;
const alive = new Set<Child["process"]>();
process.on("exit", () => {
  for (const child of alive) child.kill("SIGKILL");
});

export function startChild(command: readonly string[], env: Readonly<Record<string, string>>): Child {
  const [file = "", ...args] = command;
  const child = spawn(file, args, { stdio: ["pipe", "pipe", "pipe"], env: { ...process.env, ...env } });
  alive.add(child);
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-4096);
  });
  const exited = new Promise<string>((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code, signal) => resolve(`ended with ${signal ?? `code ${code}`}${reasonIn(errors)}`));
  });
  void exited.then(() => alive.delete(child));
  // A write to an ended process fails; `died` has the reason.
  child.stdin.on("error", () => {});
  const died = exited.then((reason) => Promise.reject(new Error(reason)));
  died.catch(() => {});
  return {
    pid: child.pid ?? 0,
    process: child,
    died,
    async stop() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** Starts an HTTP contender and waits until it prints its port. */
export async function startHttpChild(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<HttpChild> {
  const child = startChild(command, { ...env, PORT: "0" });
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`did not listen within ${startLimitMs} ms`)), startLimitMs);
  });
  try {
    return { ...child, port: await Promise.race([portSaidBy(child), child.died, tooLate]) };
  } catch (error) {
    await child.stop();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function portSaidBy(child: Child): Promise<number> {
  return new Promise((resolve) => {
    let said = "";
    child.process.stdout.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(0, 4096);
      const port = /^listening (\d+)$/m.exec(said)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
  });
}

/** The line of a stack trace that names the error, if there is one. */
function reasonIn(errors: string): string {
  const line = errors.split("\n").find((candidate) => /\w*Error\b/.test(candidate)) ?? errors.trim().split("\n").at(-1);
  return line ? `: ${line.trim()}` : "";
}
