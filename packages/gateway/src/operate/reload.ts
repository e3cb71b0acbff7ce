// Reloads the configuration: reads it again when its files change or an operator asks, and applies all of it or nothing.
import { ConfigError } from "../config/config-error.ts";
import type { ReadConfig } from "../config/read-config.ts";
import type { GatewaySettings } from "../config/schema/settings.ts";
import { type FileWatch, watchFiles } from "../config/watch-files.ts";
import type { UpstreamChanges } from "../edge/endpoints/upstream-entries.ts";
import type { ActiveConfig } from "./active-config.ts";
import type { ConfigChanges, ReloadOutcome } from "./admin/api/health.ts";
import { noChanges, toConfigChanges } from "./config-changes.ts";
import { needsRestart } from "./fixed-settings.ts";
import type { Log } from "./observe/log.ts";
import type { Metrics } from "./observe/metrics.ts";

export interface ReloaderOptions {
  readonly active: ActiveConfig;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Reads the configuration. Rejects with ConfigError. */
  load(): Promise<ReadConfig>;
  /** Applies a configuration. Throws when it cannot; then the previous one is applied again. */
  apply(read: ReadConfig): UpstreamChanges;
  /** Restores the derived state of a configuration, without its upstreams. */
  restore(read: ReadConfig): void;
  /** Whether the gateway is stopping, so that nothing new may start. */
  isStopping(): boolean;
}

export class Reloader {
  readonly #options: ReloaderOptions;
  /** The settings of the start. Some of them stay in effect until the process ends. */
  readonly #startSettings: GatewaySettings;
  #running: Promise<ReloadOutcome> | undefined;
  #watch: FileWatch | undefined;

  constructor(options: ReloaderOptions) {
    this.#options = options;
    this.#startSettings = options.active.settings;
  }

  /** Reloads whenever a configuration file changes. */
  async watchFiles(): Promise<void> {
    const { active, log } = this.#options;
    this.#watch = watchFiles({
      onChange: () => void this.reload(),
      onError: (error) =>
        log.warn("config.unwatched", `changes of the configuration may go unnoticed: ${error.message}`),
    });
    await this.#watch.follow(active.read.files);
  }

  close(): void {
    this.#watch?.close();
  }

  /** What a reload would do now. Never rejects. */
  async changes(): Promise<ConfigChanges> {
    const { active, load } = this.#options;
    try {
      return toConfigChanges(active.read, await load(), {
        startSettings: this.#startSettings,
        redactor: active.redactor,
      });
    } catch (error) {
      return {
        ...noChanges,
        isValid: false,
        problems: problemsOf(error).map((problem) => active.redactor.text(problem)),
      };
    }
  }

  /** Runs one reload after the other. Never rejects. */
  reload(): Promise<ReloadOutcome> {
    this.#running = (this.#running ?? Promise.resolve())
      .then(() => this.#reload())
      .catch((error: unknown) => this.#refuse(error));
    return this.#running;
  }

  async #reload(): Promise<ReloadOutcome> {
    const { active, load, isStopping } = this.#options;
    const read = await load();
    // An upstream started after this point would never be stopped.
    if (isStopping()) return { isApplied: false, problems: ["the gateway is being stopped"] };
    const before = active.read;
    const changes = this.#apply(read, before);
    await this.#watch?.follow(read.files);
    this.#logApplied(read, before, changes);
    return { isApplied: true, problems: [] };
  }

  #apply(read: ReadConfig, before: ReadConfig): UpstreamChanges {
    const { apply, restore } = this.#options;
    try {
      return apply(read);
    } catch (error) {
      restore(before);
      throw error;
    }
  }

  #logApplied(read: ReadConfig, before: ReadConfig, { added, changed, removed }: UpstreamChanges): void {
    const { log, metrics } = this.#options;
    const parts = [["added", added] as const, ["changed", changed] as const, ["removed", removed] as const]
      .filter(([, names]) => names.length > 0)
      .map(([what, names]) => `${what} ${names.join(", ")}`);
    log.info("config.applied", `the configuration is applied: ${parts.join("; ") || "no server changed"}`);
    const logged = new Set(before.notes);
    for (const note of read.notes) if (!logged.has(note)) log.warn("config.note", note);
    const ignored = needsRestart(this.#startSettings, read.config.settings);
    if (ignored.length > 0) log.warn("config.restart", `only a restart applies the change of ${ignored.join(", ")}`);
    metrics.reloaded("applied");
  }

  #refuse(error: unknown): ReloadOutcome {
    const { log, metrics } = this.#options;
    const problems = problemsOf(error);
    for (const problem of problems) log.error("config.refused", problem);
    log.error("config.refused", "the configuration is not applied; the previous one stays active");
    metrics.reloaded("refused");
    return { isApplied: false, problems };
  }
}

function problemsOf(error: unknown): readonly string[] {
  return error instanceof ConfigError ? error.problems : [String(error)];
}
