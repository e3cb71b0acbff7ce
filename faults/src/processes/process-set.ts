// The processes that a run starts. All of them end with the run, also when the user interrupts it.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export interface Started {
  readonly name: string;
  readonly child: ChildProcess;
  readonly pid: number;
  readonly isRunning: boolean;
  /** The last line of its stdout or stderr. */
  readonly lastLine: string;
  signal(signal: NodeJS.Signals): void;
  /** Sends the signal and waits until the process has ended. */
  end(signal?: NodeJS.Signals): Promise<void>;
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Receives each line of stdout and stderr. */
  readonly onLine?: (line: string) => void;
}

export class ProcessSet {
  readonly #running = new Set<ChildProcess>();
  readonly #killAll = (): void => this.killAll();
  readonly #interrupt = (): void => {
    this.killAll();
    process.exit(130);
  };

  constructor() {
    process.once("exit", this.#killAll);
    process.once("SIGINT", this.#interrupt);
    process.once("SIGTERM", this.#interrupt);
  }

  start(name: string, command: string, args: readonly string[], options: StartOptions = {}): Started {
    const { env = {}, cwd, onLine } = options;
    const child = spawn(command, args, {
      ...(cwd === undefined ? {} : { cwd }),
      env: { ...process.env, ...env },
      // Its own process group, so that the end of the run reaches the processes that it started, too.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#running.add(child);
    const exited = new Promise<void>((resolve) => {
      child.once("exit", () => resolve());
      child.once("error", () => resolve());
    }).then(() => void this.#running.delete(child));
    let lastLine = "";
    const readLine = (line: string): void => {
      lastLine = line;
      onLine?.(line);
    };
    for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on("line", readLine);
    const isRunning = () => this.#running.has(child);
    return {
      name,
      child,
      pid: child.pid ?? -1,
      get isRunning() {
        return isRunning();
      },
      get lastLine() {
        return lastLine;
      },
      signal: (signal) => void child.kill(signal),
      async end(signal = "SIGKILL") {
        child.kill(signal);
        if (signal !== "SIGKILL") child.kill("SIGCONT");
        await exited;
      },
    };
  }

  killAll(): void {
    for (const { pid } of this.#running) {
      if (pid !== undefined) killGroup(pid);
    }
  }

  /** Kills the processes that still run and waits until they have ended. */
  async close(): Promise<void> {
    const ends = [...this.#running].map((child) => once(child, "exit"));
    this.killAll();
    await Promise.all(ends);
    process.off("exit", this.#killAll);
    process.off("SIGINT", this.#interrupt);
    process.off("SIGTERM", this.#interrupt);
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {}
}

/** False for a process that has ended. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
