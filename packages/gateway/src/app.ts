// Serves a gateway from its configuration: builds it, listens, reloads on changes, and drains it on close.

import { setTimeout as sleep } from "node:timers/promises";
import { checkOptions, type KnownOptions, processMemory } from "@lethe/protocol";
import type { WorkerProcess } from "@lethe/server/workers";
import { ConfigError } from "./config/config-error.ts";
import { findPortConflict } from "./config/port-conflict.ts";
import type { ReadConfig } from "./config/read-config.ts";
import { defaultShutdown } from "./config/schema/defaults.ts";
import type { GatewaySettings, PostgresSettings } from "./config/schema/settings.ts";
import { createGatewayUnder } from "./edge/create-gateway.ts";
import type { Gateway } from "./edge/endpoints/gateway.ts";
import type { GatewayOptions } from "./edge/endpoints/gateway-options.ts";
import { ActiveConfig } from "./operate/active-config.ts";
import type { ReloadOutcome } from "./operate/admin/api/health.ts";
import { adminPath } from "./operate/admin/api/openapi.ts";
import { followParent } from "./operate/follow-parent.ts";
import { requireFreePorts } from "./operate/free-ports.ts";
import { ForwardedRequests, joinReplicas } from "./operate/join-replicas.ts";
import { Siblings } from "./operate/join-workers.ts";
import { type CloseOptions, type Listeners, listen } from "./operate/listen.ts";
import type { GatewayView } from "./operate/observe/gateway-view.ts";
import { createLineTails } from "./operate/observe/line-tails.ts";
import { createLog, type Log, type LogSink } from "./operate/observe/log.ts";
import { createLogTail } from "./operate/observe/log-tail.ts";
import { ProcessList } from "./operate/observe/process-list.ts";
import { Runtime } from "./operate/runtime.ts";
import { openTelemetry, type Telemetry } from "./operate/telemetry/telemetry.ts";
import { toGatewayCallbacks, UpstreamLog } from "./operate/upstream-log.ts";
import { spanIdsOf } from "./tracing/tracing.ts";
import { knownCircuitBreakerOptions } from "./upstreams/connection/circuit-breaker.ts";
import { endOrphanedProcesses } from "./upstreams/connection/end-orphaned-processes.ts";
import { openProcessLedger, type ProcessLedger } from "./upstreams/connection/process-ledger.ts";
import type { Share, SharedState } from "./upstreams/directory/shared-state.ts";

/** Options of `serveGateway`. */
export interface ServeGatewayOptions {
  /** Reads the configuration, at the start and for each reload. Rejects with ConfigError. */
  load(): Promise<ReadConfig>;
  /** Overrides these settings of the configuration. */
  settings?: Pick<GatewaySettings, "port" | "host">;
  /** Receives log entries. Default: none are written. */
  log?: LogSink;
  /** Whether the log gets an entry for each request. Default true. */
  logsRequests?: boolean;
  /** Whether a change of a configuration file triggers a reload. Default true. */
  watches?: boolean;
  /**
   * The folder that records running upstream processes. After a crash, the next gateway ends the processes recorded there.
   * Default: nothing is recorded.
   */
  ledgerFolder?: string;
  /** Connects to the store that replicas share. Required if the configuration sets `gateway.redis`. */
  share?: Share;
  /** The same for a database, `shareByPostgres` of `@lethe/postgres`. Required if the configuration sets `gateway.postgres`. */
  shareByPostgres?: Share<PostgresSettings>;
  /**
   * This process as one of several workers: `workerProcess()` of `@lethe/server/workers`. It shares port and sessions with the others, and
   * closes when its parent wants it. Default: it serves alone.
   */
  worker?: WorkerProcess | undefined;
  /** Further options of the gateway, such as keys and limits. */
  gateway?: Omit<
    GatewayOptions,
    "onEvent" | "onProblem" | "onStderr" | "onProcess" | "onRefused" | "mayRead" | "mayCall" | "mask"
  >;
}

const knownServeGatewayOptions: KnownOptions<ServeGatewayOptions> = {
  load: "a function",
  settings: { host: true, port: true },
  log: true,
  logsRequests: true,
  watches: true,
  ledgerFolder: true,
  share: true,
  shareByPostgres: true,
  worker: true,
  gateway: {
    maxPending: true,
    maxPendingPerCaller: true,
    pendingTtlMs: true,
    maxWatched: true,
    maxWatchedPerCaller: true,
    maxFollowed: true,
    keys: true,
    issuers: true,
    facts: true,
    singleUse: true,
    taskRecords: true,
    directory: true,
    isCutOff: true,
    telemetryApi: true,
    startupWaitMs: true,
    probeTimeoutMs: true,
    probeAgainMs: true,
    circuitBreaker: knownCircuitBreakerOptions,
    startTimeoutMs: true,
  },
};

/** A running gateway that listens for requests. */
export interface ServedGateway {
  /** The URL of the merged endpoint. */
  readonly url: string;
  /** The URL of the administration interface. Health and metrics are on the same port. */
  readonly adminUrl: string;
  readonly gateway: Gateway;
  /** Resolves when every upstream has been tried once and the log has a verdict on each. */
  readonly settled: Promise<void>;
  /** Returns what the gateway is doing now, with secrets masked. */
  view(): GatewayView;
  /** Reads the configuration again. A configuration with problems changes nothing. */
  reload(): Promise<ReloadOutcome>;
  /**
   * Fails readiness checks, waits `shutdown.delayMs` for load balancers to notice, lets running requests finish for
   * `shutdown.graceMs` (10 s by default), and stops every upstream.
   */
  close(): Promise<void>;
}

/** Rejects with ConfigError, or with an Error when a port is not available. */
export async function serveGateway(options: ServeGatewayOptions): Promise<ServedGateway> {
  checkOptions("serveGateway", options, knownServeGatewayOptions);
  const { log: sink = () => {}, logsRequests = true, watches = true, gateway: gatewayOptions = {} } = options;
  const { keys } = gatewayOptions;
  const load = withOverrides(options);
  const active = new ActiveConfig(await load());
  const { settings } = active;
  const conflict = findPortConflict(settings);
  if (conflict !== undefined) throw new ConfigError([conflict]);
  // The parent of workers has the port already.
  if (!options.worker) await requireFreePorts(settings);
  const telemetry = await openTelemetry({
    ...{ settings: settings.telemetry, environment: process.env, api: gatewayOptions.telemetryApi },
  });
  const { api: telemetryApi } = telemetry;
  const logTail = createLogTail();
  const log = createLog(
    (entry) => {
      logTail.add(entry);
      telemetry.log(entry);
      if (logsRequests || entry.event !== "request") sink(entry);
    },
    active.redactor,
    telemetryApi && (() => spanIdsOf(telemetryApi)),
  );
  for (const problem of telemetry.problems) log.warn("telemetry.unheard", problem);
  const ledger = await openLedger(options.ledgerFolder, log);
  const forwarded = new ForwardedRequests();
  const { dispatchAt } = forwarded;
  const siblings = options.worker && new Siblings({ worker: options.worker, log, dispatchAt });
  const { share, shareByPostgres } = options;
  const join = { settings, share, shareByPostgres, keys, log, dispatchAt, sharesPort: siblings !== undefined };
  const shared = (await joinReplicas(join)) ?? siblings?.shared;
  const upstreamLog = new UpstreamLog({ log, active, hasReplicas: shared !== undefined });
  const stderrTails = createLineTails();
  const processes = new ProcessList();
  const gateway = createGatewayUnder(() => active, active.read.config, {
    ...{ ...gatewayOptions, telemetryApi },
    ...(shared && { directory: shared.directory, isCutOff: () => shared.status.isCutOff }),
    ...(shared?.singleUse && { singleUse: shared.singleUse }),
    ...(shared?.taskRecords && { taskRecords: shared.taskRecords }),
    ...toGatewayCallbacks({ active, log, upstreamLog, stderrTails }),
    onProcess(...started) {
      processes.enter(...started);
      ledger?.enter(...started);
    },
  });
  upstreamLog.follow(gateway);
  const observed = { log, logTail, upstreamLog, stderrTails, processes };
  const runtime = new Runtime({
    ...{ active, gateway, keys, shared, siblings, telemetryApi, load, ...observed },
    logsRequests: logsRequests || telemetry.exportsLogs,
  });
  telemetry.follow({
    readMetrics: () => runtime.monitor.metrics.values(runtime.view()),
    onFailure: (signal, reason) => runtime.monitor.exportFailed(signal, reason),
  });
  forwarded.open(runtime);
  if (settings.limits?.maxHeldBytes !== undefined) processMemory.limit(settings.limits.maxHeldBytes);
  const listeners = await listenAndWatch(runtime, settings, watches).catch(async (error: unknown) => {
    await gateway.close();
    await shared?.close();
    await telemetry.close();
    throw error;
  });
  const { url } = listeners.main;
  const adminUrl = new URL(adminPath, listeners.admin.url).href;
  runtime.listens({ url, adminUrl }, () => listeners.main);
  log.info("gateway.listening", `listening on ${url}`, { url, adminUrl });
  for (const note of active.read.notes) log.warn("config.note", note);
  let closing: Promise<void> | undefined;
  const close = (times?: CloseOptions): Promise<void> => {
    closing ??= shutDown({ active, log, runtime, listeners, gateway, shared, siblings, ledger, telemetry }, times);
    return closing;
  };
  const served: ServedGateway = {
    ...{ url, adminUrl, gateway },
    settled: runtime.begin(),
    view: () => runtime.view(),
    reload: () => runtime.reload(),
    close: () => close(),
  };
  if (options.worker) followParent(options.worker, { runtime, served, close, port: listeners.main.port });
  return served;
}

/** The settings of the program take precedence over those of the configuration. */
function withOverrides({ load, settings: overrides }: ServeGatewayOptions): () => Promise<ReadConfig> {
  return async () => {
    const read = await load();
    const settings = { ...read.config.settings, ...overrides };
    return { ...read, config: { ...read.config, settings } };
  };
}

async function listenAndWatch(runtime: Runtime, settings: GatewaySettings, watches: boolean): Promise<Listeners> {
  const listeners = await listen(runtime, settings);
  if (!watches) return listeners;
  try {
    await runtime.watchFiles();
  } catch (error) {
    runtime.drain();
    await listeners.close();
    throw error;
  }
  return listeners;
}

interface ShutdownParts {
  readonly active: ActiveConfig;
  readonly log: Log;
  readonly runtime: Runtime;
  readonly listeners: Listeners;
  readonly gateway: Gateway;
  readonly shared: SharedState | undefined;
  readonly siblings: Siblings | undefined;
  readonly ledger: ProcessLedger | undefined;
  readonly telemetry: Telemetry;
}

async function shutDown(parts: ShutdownParts, times: CloseOptions = {}): Promise<void> {
  const { active, log, runtime, listeners, gateway, shared, siblings, ledger, telemetry } = parts;
  const { delayMs, graceMs } = { ...defaultShutdown, ...active.settings.shutdown, ...times };
  log.info("gateway.stopping", `stopping: running requests have ${graceMs / 1_000} s to finish`);
  runtime.drain();
  const endsAt = Date.now() + delayMs + graceMs;
  const closed = listeners.close({ graceMs, delayMs });
  if (shared) {
    // Until now this replica kept serving the others. Half of the grace time is left for the requests it runs for them.
    await Promise.race([closed, sleep(delayMs + graceMs / 2, undefined, { ref: false })]);
    await gateway.handOver();
    await shared.leave(Math.max(0, endsAt - Date.now()));
  }
  // The other workers take one that ends without a word for lost, also where they share a store.
  if (siblings?.shared !== shared) await siblings?.shared.leave(0);
  await closed;
  await gateway.close();
  await shared?.close();
  ledger?.close();
  runtime.stopped();
  log.info("gateway.stopped", "stopped: every server has ended");
  await telemetry.close();
}

/** Orphaned processes end first, because they may hold resources that this gateway's upstreams need. */
async function openLedger(folder: string | undefined, log: Log): Promise<ProcessLedger | undefined> {
  if (folder === undefined) return undefined;
  for (const { upstream, pid } of await endOrphanedProcesses(folder)) {
    const message = `ended process ${pid} of ${upstream}, left running by a gateway that was killed`;
    log.warn("process.orphaned", message, { upstream, pid });
  }
  return openProcessLedger(folder, (error) =>
    log.warn("process.unrecorded", `running processes are not recorded in ${folder}: ${error.message}`),
  );
}
