// One process for the author's code: in a group of its own, so that Ctrl-C reaches the command alone and everything that the code
// starts ends with it.
import { type ChildProcess, spawn } from "node:child_process";
import { Channel, type Handlers } from "../channel/channel.ts";
import { dismissGroup, enlistGroup, signalGroup } from "./process-group.ts";

export interface RunnerProcessOptions {
  /** The program of the process. */
  readonly program: string;
  readonly environment: NodeJS.ProcessEnv;
  onOutput(text: string, stream: "stdout" | "stderr"): void;
}

export interface RunnerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** How long the code may take to end after SIGTERM, in ms. */
const endMs = 2_000;

export class RunnerProcess {
  readonly channel: Channel;
  /** Resolves when the process has ended. */
  readonly exited: Promise<RunnerExit>;
  readonly #child: ChildProcess;
  /** Set by the owner of the process. */
  handlers: Handlers = {};
  #isEnding = false;

  constructor({ program, environment, onOutput }: RunnerProcessOptions) {
    const child = spawn(process.execPath, ["--enable-source-maps", program], {
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      detached: process.platform !== "win32",
      env: environment,
      windowsHide: true,
    });
    this.#child = child;
    this.channel = new Channel(
      { send: (message) => void child.send(message as object, (error) => error && this.#lose(error)) },
      new Proxy({}, { get: (_target, name) => this.handlers[String(name)] }) as Handlers,
    );
    child.on("message", (message) => this.channel.receive(message));
    for (const stream of ["stdout", "stderr"] as const) {
      child[stream]?.setEncoding("utf8").on("data", (text: string) => onOutput(text, stream));
    }
    const { pid } = child;
    if (pid !== undefined) enlistGroup(pid);
    this.exited = new Promise((resolve) => {
      child.once("error", (error) => {
        this.channel.close(error);
        resolve({ code: null, signal: null });
      });
      // After "close" the output is complete.
      child.once("close", (code, signal) => {
        if (pid !== undefined) {
          signalGroup(pid, "SIGKILL");
          dismissGroup(pid);
        }
        this.channel.close(new ExitError({ code, signal }));
        resolve({ code, signal });
      });
    });
    child.once("exit", (code, signal) => this.channel.close(new ExitError({ code, signal })));
  }

  /** True after `end` or `kill`. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** Lets the handlers for SIGTERM of the code run, and kills what is left after two seconds. */
  async end(): Promise<void> {
    const { pid } = this.#child;
    if (!this.#isEnding && pid !== undefined) {
      this.#isEnding = true;
      this.channel.tell("end");
      const late = setTimeout(() => signalGroup(pid, "SIGKILL"), endMs);
      await this.exited;
      clearTimeout(late);
    }
    await this.exited;
  }

  /** For code that hangs, and for a process that runs none. */
  async kill(): Promise<void> {
    this.#isEnding = true;
    const { pid } = this.#child;
    if (pid !== undefined) signalGroup(pid, "SIGKILL");
    await this.exited;
  }

  #lose(error: Error): void {
    this.channel.close(error);
  }
}

/** What waits for a process gets it when the process ends. */
class ExitError extends Error {
  override readonly name = "ExitError";

  constructor(exit: RunnerExit) {
    super(describeExit(exit));
  }
}

export function isExitError(error: unknown): error is Error {
  return error instanceof ExitError;
}

export function describeExit({ code, signal }: RunnerExit): string {
  const how = signal === null ? `with exit code ${code ?? "unknown"}` : `by ${signal}`;
  return `the process of the server ended ${how}`;
}
