// Reloads the configuration of all workers, one after the other. Where only a restart applies a change, each worker is replaced.
import type { Workers } from "@lethe/server/workers";
import { ConfigError } from "../config/config-error.ts";
import type { ReadConfig } from "../config/read-config.ts";
import { defaultShutdown } from "../config/schema/defaults.ts";
import type { GatewaySettings } from "../config/schema/settings.ts";
import { watchFiles } from "../config/watch-files.ts";
import type { ReloadOutcome } from "./admin/api/health.ts";
import { needsRestart } from "./fixed-settings.ts";
import { reloadQuestion } from "./follow-parent.ts";
import type { LogEntry } from "./observe/log.ts";

export interface WorkerReloadsOptions {
  /** The settings of the start. */
  readonly settings: GatewaySettings;
  load(): Promise<ReadConfig>;
  log(entry: LogEntry): void;
}

/** What reloads need of the workers. */
export type ReloadedWorkers = Pick<Workers, "peers" | "ask" | "replace">;

export class WorkerReloads {
  readonly #group: ReloadedWorkers;
  readonly #options: WorkerReloadsOptions;
  #settings: GatewaySettings;
  #running: Promise<ReloadOutcome> | undefined;
  #replacing: Promise<void> = Promise.resolve();
  #files: ReturnType<typeof watchFiles> | undefined;

  constructor(group: ReloadedWorkers, options: WorkerReloadsOptions) {
    this.#group = group;
    this.#options = options;
    this.#settings = options.settings;
  }

  get closeTimes(): { graceMs: number; delayMs: number } {
    const { graceMs, delayMs } = { ...defaultShutdown, ...this.#settings.shutdown };
    return { graceMs, delayMs };
  }

  async watch({ files }: ReadConfig): Promise<void> {
    this.#files = watchFiles({
      onChange: () => void this.reload(),
      onError: (error) =>
        this.#note("warn", "config.unwatched", `changes of the configuration may go unnoticed: ${error.message}`),
    });
    await this.#files.follow(files);
  }

  close(): void {
    this.#files?.close();
  }

  /** Runs one reload after the other. Never rejects. */
  reload(): Promise<ReloadOutcome> {
    this.#running = (this.#running ?? Promise.resolve())
      .then(() => this.#reload())
      .catch((error: unknown) => this.#refuse(error instanceof ConfigError ? error.problems : [String(error)]));
    return this.#running;
  }

  async #reload(): Promise<ReloadOutcome> {
    await this.#replacing;
    const read = await this.#options.load();
    await this.#files?.follow(read.files);
    const { workers, ...settings } = read.config.settings ?? {};
    const { workers: before, ...fixedBefore } = this.#settings;
    if (workers !== before) {
      this.#note("warn", "config.restart", "only a restart applies the change of workers");
    }
    const fixed = needsRestart(fixedBefore, settings);
    if (fixed.length > 0) return this.#replace(read, fixed);
    for (const { number } of this.#group.peers) {
      const outcome = await this.#group.ask(number, reloadQuestion).catch(() => undefined);
      // A worker that has ended meanwhile is replaced by one with the new configuration.
      if ((outcome as ReloadOutcome | undefined)?.isApplied === false) return outcome as ReloadOutcome;
    }
    this.#settings = read.config.settings ?? {};
    return { isApplied: true, problems: [] };
  }

  /** The answer does not wait for the end of the old workers, one of which may be asking. */
  #replace(read: ReadConfig, fixed: readonly string[]): ReloadOutcome {
    this.#note(
      "info",
      "worker.replacing",
      `all workers are replaced, one by one, to apply the change of ${fixed.join(", ")}`,
    );
    const times = this.closeTimes;
    const before = this.#settings;
    const old = this.#group.peers.map(({ number }) => number);
    this.#settings = read.config.settings ?? {};
    this.#replacing = this.#group.replace(times).then(
      () => this.#note("info", "worker.replaced", "all workers are replaced"),
      ({ message }: Error) => {
        const left = this.#group.peers.map(({ number }) => number);
        if (old.every((number) => left.includes(number))) this.#settings = before;
        this.#note("error", "worker.failed", `the workers are not replaced: ${message}`);
      },
    );
    return { isApplied: true, problems: [], replacing: fixed };
  }

  #refuse(problems: readonly string[]): ReloadOutcome {
    for (const problem of problems) this.#note("error", "config.refused", problem);
    this.#note("error", "config.refused", "the configuration is not applied; the previous one stays active");
    return { isApplied: false, problems };
  }

  #note(level: LogEntry["level"], event: string, message: string): void {
    this.#options.log({ time: new Date().toISOString(), level, event, message });
  }
}
