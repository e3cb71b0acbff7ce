// Serves a gateway by several workers. This process starts, restarts, reloads and stops them, and holds what they share. It serves no
// request.
import { randomBytes } from "node:crypto";
import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { startWorkers, type WorkerEvent } from "@lethe/server/workers";
import type { ReadConfig } from "./config/read-config.ts";
import type { ReloadOutcome } from "./operate/admin/api/health.ts";
import { reloadQuestion } from "./operate/follow-parent.ts";
import type { LogEntry, LogSink } from "./operate/observe/log.ts";
import { WorkerReloads } from "./operate/worker-reloads.ts";

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

/** How the log has each report. */
const logged = {
  started: { level: "info", event: "worker.started" },
  failed: { level: "error", event: "worker.failed" },
  stalled: { level: "error", event: "worker.stalled" },
} as const;

function toEntry({ kind, message, ...details }: WorkerEvent): LogEntry {
  return { time: new Date().toISOString(), ...logged[kind], message, ...details };
}
