// Serves a gateway by several workers. This process starts, restarts, reloads and stops them, and holds what they share. It serves no
// request.
import { randomBytes } from "node:crypto";
import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { startWorkers, type WorkerEvent, type Workers } from "@lethe/server/workers";
import { ConfigError } from "./config/config-error.ts";
import type { ReadConfig } from "./config/read-config.ts";
import { defaultShutdown } from "./config/schema/defaults.ts";
import type { GatewaySettings } from "./config/schema/settings.ts";
import { watchFiles } from "./config/watch-files.ts";
import type { ReloadOutcome } from "./operate/admin/api/health.ts";
import { needsRestart } from "./operate/fixed-settings.ts";
import { reloadQuestion } from "./operate/follow-parent.ts";
import type { LogEntry, LogSink } from "./operate/observe/log.ts";

/** How long a worker may stand still, in ms. */
const stallMs = 10_000;

/** Options of `serveGatewayByWorkers`. */
export interface ServeGatewayByWorkersOptions {
  /** The number of workers: processes that run the program of this one, with its arguments. */
  readonly count: number;
  /** Reads the configuration, at the start and for each reload. Rejects with ConfigError. */
  load(): Promise<ReadConfig>;
  /** Whether a change of a configuration file triggers a reload. Default true. */
  readonly watches?: boolean;
  /** Receives what happens to workers. Each worker writes its own log. Default: nothing is written. */
  readonly log?: LogSink;
}

const knownOptions: KnownOptions<ServeGatewayByWorkersOptions> = {
  count: "a number",
  load: "a function",
  watches: true,
  log: true,
};

/** The workers of a gateway, in their parent. */
export interface GatewayWorkers {
  /** Resolves with the reason when a worker wants the whole gateway to end. */
  readonly givenUp: Promise<string>;
  /** Reloads the configuration of all workers, one after the other. Never rejects. */
  reload(): Promise<ReloadOutcome>;
  /** Ends all workers as `close` of a gateway does. */
  close(): Promise<void>;
}

/**
 * Serves a gateway by several processes, so that it uses several cores. In each of them, `workerProcess()` of `@lethe/server/workers` is
 * defined, and the program passes it to `serveGateway`. Rejects with ConfigError, or with an Error if the first worker cannot start.
 */
export async function serveGatewayByWorkers(options: ServeGatewayByWorkersOptions): Promise<GatewayWorkers> {
  checkOptions("serveGatewayByWorkers", options, knownOptions);
  const { count, load, watches = true, log = () => {} } = options;
  const first = await load();
  let giveUp: (reason: string) => void = () => {};
  const givenUp = new Promise<string>((resolve) => {
    giveUp = resolve;
  });
  let reloads: WorkerReloads | undefined;
  const workers = await startWorkers({
    ...{ count, stallMs, environment: toEnvironment(first) },
    onEvent: (event) => log(toEntry(event)),
    async answer(question) {
      if (question === reloadQuestion) return reloads?.reload();
      giveUp(String(question));
      return undefined;
    },
  });
  reloads = new WorkerReloads(workers, { load, log, settings: first.config.settings ?? {} });
  if (watches) await reloads.watch(first);
  return {
    givenUp,
    reload: () => reloads.reload(),
    close() {
      reloads.close();
      return workers.close(reloads.closeTimes);
    },
  };
}

/** Without configured keys, the workers get one that ends with this process. Other machines have to know the keys of a shared store. */
function toEnvironment({ config }: ReadConfig): Record<string, string> {
  const { redis, postgres } = config.settings ?? {};
  const needsKeys = (process.env.LETHE_KEYS ?? "") === "" && !redis && !postgres;
  return needsKeys ? { LETHE_KEYS: `workers:${randomBytes(32).toString("base64url")}` } : {};
}

function toEntry(event: WorkerEvent): LogEntry {
  const time = new Date().toISOString();
  const { worker } = event;
  switch (event.kind) {
    case "started":
      return {
        time,
        level: "info",
        event: "worker.started",
        message: `worker ${worker} has started`,
        worker,
        pid: event.pid,
      };
    case "failed": {
      const { reason, restartInMs } = event;
      const message = `worker ${worker} has ended: ${reason}; another starts ${restartInMs === 0 ? "now" : `in ${restartInMs / 1_000} s`}`;
      return { time, level: "error", event: "worker.failed", message, worker, reason, restartInMs };
    }
    case "stalled": {
      const message = `worker ${worker} has not answered for ${event.stallMs / 1_000} s and is killed`;
      return { time, level: "error", event: "worker.stalled", message, worker };
    }
  }
}

interface ReloadsOptions {
  /** The settings of the start. */
  readonly settings: GatewaySettings;
  load(): Promise<ReadConfig>;
  log(entry: LogEntry): void;
}

/** Reloads the configuration of all workers, one after the other. Where only a restart applies a change, each is replaced. */
class WorkerReloads {
  readonly #group: Workers;
  readonly #options: ReloadsOptions;
  #settings: GatewaySettings;
  #running: Promise<ReloadOutcome> | undefined;
  #replacing: Promise<void> = Promise.resolve();
  #files: ReturnType<typeof watchFiles> | undefined;

  constructor(group: Workers, options: ReloadsOptions) {
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
    return { isApplied: true, problems: [] };
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
