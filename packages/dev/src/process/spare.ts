// Keeps one process ready for the next reload, so that a reload does not wait for Node to start.
import { RunnerProcess, type RunnerProcessOptions } from "./runner-process.ts";

/** Packages whose import has no effect. Others are imported by the code itself, in its order and environment. */
const harmless = /[\\/](?:@lethe[\\/]|zod[\\/]|packages[\\/](?:server|protocol|client)[\\/]dist[\\/])/;

export class Spare {
  readonly #options: RunnerProcessOptions;
  #process: RunnerProcess | undefined;
  #packages: readonly string[] = [];

  constructor(options: RunnerProcessOptions) {
    this.#options = options;
  }

  /** The caller owns the process. */
  take(): RunnerProcess {
    const ready = this.#process ?? new RunnerProcess(this.#options);
    this.#process = undefined;
    return ready;
  }

  /** Starts the next process. `packages` are the URLs that the code imports. */
  prepare(packages: readonly string[]): void {
    this.#packages = packages.filter((url) => harmless.test(url));
    if (this.#process) return;
    const spare = new RunnerProcess(this.#options);
    this.#process = spare;
    void spare.exited.then(() => {
      if (this.#process === spare) this.#process = undefined;
    });
    spare.channel.ask("warm", this.#packages).catch(() => {});
  }

  async close(): Promise<void> {
    const spare = this.#process;
    this.#process = undefined;
    await spare?.kill();
  }
}
