// A gateway in operation: read from its configuration and again when that changes, served, watched, and taken down gently.
import { setTimeout as sleep } from "node:timers/promises";
import { processMemory } from "@lethe/protocol";
import type { RouteLookup } from "@lethe/server/edge";
import { type Serving, serve } from "@lethe/server/node";
import { ConfigError } from "./config/config-error.ts";
import type { GatewaySettings } from "./config/gateway-settings.ts";
import type { ReadConfig } from "./config/read-config.ts";
import { type FileWatch, watchFiles } from "./config/watch-files.ts";
import { basePath } from "./edge/endpoints/endpoint.ts";
import { createGateway, type Gateway } from "./edge/endpoints/gateway.ts";
import type { GatewayOptions } from "./edge/endpoints/gateway-options.ts";
import type { UpstreamChanges } from "./edge/endpoints/upstream-entries.ts";
import { needsRestart, toHttpOptions } from "./operate/fixed-settings.ts";
import { joinReplicas } from "./operate/join-replicas.ts";
import type { GatewayView } from "./operate/observe/gateway-view.ts";
import { createLog, type Log, type LogSink } from "./operate/observe/log.ts";
import { createRedactor } from "./operate/observe/redact.ts";
import { createOperations, type Operations } from "./operate/runtime.ts";
import { endOrphanedProcesses } from "./upstreams/connection/end-orphaned-processes.ts";
import { openProcessLedger, type ProcessLedger } from "./upstreams/connection/process-ledger.ts";
import type { Share } from "./upstreams/directory/shared-state.ts";

export interface ServeGatewayOptions {
  /** Reads the configuration: at the start, and whenever it is to be read again. Rejects with ConfigError. */
  load(): Promise<ReadConfig>;
  /** Goes before what the configuration says. */
  settings?: Pick<GatewaySettings, "port" | "host">;
  log?: LogSink;
  /** An entry for each request. Default true. */
  logsRequests?: boolean;
  /** Reads the configuration again when its files change. Default true. */
  watches?: boolean;
  /** Where the processes that run are noted, so that the next gateway ends those of one that was killed. Default: nowhere. */
  ledgerFolder?: string;
  /** Joins the replicas that the configuration tells to share something. Needed for `gateway.redis`. */
  share?: Share;
  gateway?: Omit<GatewayOptions, "onEvent" | "onProblem" | "onStderr" | "onProcess" | "mayRead" | "mayCall" | "mask">;
}

export interface ServedGateway {
  /** Of the merged endpoint. */
  readonly url: string;
  /** Where health, metrics and administration are. */
  readonly adminUrl: string;
  readonly gateway: Gateway;
  /** Resolves when every upstream of the beginning has been tried, and the log has been told what each is. */
  readonly settled: Promise<void>;
  /** What it is doing at this moment, with secrets masked. */
  view(): GatewayView;
  /** A configuration that is wrong changes nothing. */
  reload(): Promise<ReloadOutcome>;
  /**
   * Reports that it is not ready, waits for whoever has to notice, lets what runs finish for the grace time of the
   * configuration, and ends every upstream.
   */
  close(): Promise<void>;
}

export interface ReloadOutcome {
  isApplied: boolean;
  problems: readonly string[];
}

/** Rejects with ConfigError, or with an Error when the port cannot be had. */
export async function serveGateway(options: ServeGatewayOptions): Promise<ServedGateway> {
  const { load, settings: given, log: sink = () => {}, logsRequests = true, watches = true } = options;
  const withGiven = (read: ReadConfig): ReadConfig => {
    const settings = { ...read.config.settings, ...given };
    return { ...read, config: { ...read.config, settings } };
  };
  let current = withGiven(await load());
  const made: { operations?: Operations; gateway?: Gateway } = {};
  const firstRedactor = createRedactor(current.secrets);
  const log = createLog(sink, () => made.operations?.redactor ?? firstRedactor);
  const ledger = await openLedger(options.ledgerFolder, log);
  const shared = await joinReplicas({
    settings: current.config.settings,
    share: options.share,
    keys: options.gateway?.keys,
    log,
    dispatchAt: (path) => made.gateway && made.operations?.front.forwardedAt(path),
  });
  const operations: Operations = await createOperations({
    log,
    logsRequests,
    keys: options.gateway?.keys,
    gateway: () => gateway,
    reload: () => reload(),
    read: current,
    shared,
  });
  made.operations = operations;
  const gateway: Gateway = createGateway(current.config, {
    ...options.gateway,
    ...(shared && { directory: shared.directory }),
    ...(shared?.singleUse && { singleUse: shared.singleUse }),
    ...operations.gatewayOptions,
    ...(ledger && { onProcess: ledger.enter }),
  });
  made.gateway = gateway;

  /** Some of them are in force until the end. */
  const { settings = {} } = current.config;
  if (settings.limits?.maxHeldBytes !== undefined) processMemory.limit(settings.limits.maxHeldBytes);
  const isApart = settings.admin?.port !== undefined;
  const adminRoutes: RouteLookup = (path) =>
    operations.adminRouteAt(withoutSlash(path)) ?? operations.healthRouteAt(path);
  const besides: RouteLookup = isApart ? operations.healthRouteAt : adminRoutes;
  const servings: Serving[] = [];
  // A reload may be asked for as soon as anything is served or watched.
  let reloading: Promise<ReloadOutcome> | undefined;
  let closing: Promise<void> | undefined;
  let watch: FileWatch | undefined;
  try {
    const main = await serve((path) => operations.front.servableAt(withoutSlash(path)), {
      ...toHttpOptions(settings),
      path: basePath,
      routes: (path) => operations.cardRouteAt(path) ?? besides(path),
      onError: operations.onError,
      onRefused: operations.onRefused,
      onConnectionRefused: operations.onConnectionRefused,
    });
    servings.push(main);
    if (isApart) {
      const { port = 0, host = "127.0.0.1" } = settings.admin ?? {};
      servings.push(await serve(() => undefined, { port, host, routes: adminRoutes, onError: operations.onError }));
    }
    if (watches) {
      watch = watchFiles({
        onChange: () => void reload(),
        onError: (error) =>
          log.warn("config.unwatched", `changes of the configuration may go unnoticed: ${error.message}`),
      });
      await watch.follow(current.files);
    }
  } catch (error) {
    watch?.close();
    await Promise.all([...servings.map((serving) => serving.close({ graceMs: 0 })), gateway.close()]);
    await shared?.close();
    throw error;
  }
  const [main, admin = main] = servings as [Serving, Serving?];
  const adminUrl = new URL("/admin", admin.url).href;
  log.info("gateway.listening", `listening on ${main.url}`, { url: main.url, adminUrl });
  for (const note of current.notes) log.warn("config.note", note);
  const settled = operations.begin();

  /** One after the other. Never rejects. */
  function reload(): Promise<ReloadOutcome> {
    reloading = (reloading ?? Promise.resolve()).then(readAgain).catch(refuse);
    return reloading;
  }

  function refuse(error: unknown): ReloadOutcome {
    const problems = error instanceof ConfigError ? error.problems : [String(error)];
    for (const problem of problems) log.error("config.refused", problem);
    log.error("config.refused", "the configuration is not applied; the one before stays in force");
    operations.metrics.reloaded("refused");
    return { isApplied: false, problems };
  }

  /** All of it or nothing. */
  function apply(read: ReadConfig): UpstreamChanges {
    const { upstreams, settings: { shutdown } = {} } = read.config;
    operations.apply(read);
    try {
      return gateway.reconfigure(upstreams, shutdown?.graceMs === undefined ? {} : { graceMs: shutdown.graceMs });
    } catch (error) {
      operations.apply(current);
      throw error;
    }
  }

  async function readAgain(): Promise<ReloadOutcome> {
    const read = withGiven(await load());
    // Whatever were started now, nobody would end.
    if (closing !== undefined) return { isApplied: false, problems: ["the gateway is being stopped"] };
    const before = current;
    const changes = apply(read);
    current = read;
    void operations.follow(changes);
    await watch?.follow(read.files);
    const { added, changed, removed } = changes;
    const words = [["added", added] as const, ["changed", changed] as const, ["removed", removed] as const]
      .filter(([, names]) => names.length > 0)
      .map(([what, names]) => `${what} ${names.join(", ")}`);
    log.info("config.applied", `the configuration is applied: ${words.join("; ") || "no server changed"}`);
    for (const note of read.notes) if (!before.notes.includes(note)) log.warn("config.note", note);
    const waiting = needsRestart(settings, read.config.settings);
    if (waiting.length > 0) log.warn("config.restart", `only a restart applies the change of ${waiting.join(", ")}`);
    operations.metrics.reloaded("applied");
    return { isApplied: true, problems: [] };
  }

  async function shutDown(): Promise<void> {
    const { delayMs = 0, graceMs = 10_000 } = current.config.settings?.shutdown ?? {};
    log.info("gateway.stopping", `stopping: what runs may go on for ${graceMs / 1_000} s`);
    watch?.close();
    operations.drain();
    const endsAt = Date.now() + delayMs + graceMs;
    const closed = Promise.all(servings.map((serving) => serving.close({ graceMs, delayMs })));
    if (shared) {
      // Until here this replica is one like the others. What it runs for them needs some of the time, too.
      await Promise.race([closed, sleep(delayMs + graceMs / 2, undefined, { ref: false })]);
      await shared.leave(Math.max(0, endsAt - Date.now()));
    }
    await closed;
    await gateway.close();
    await shared?.close();
    ledger?.close();
    log.info("gateway.stopped", "stopped: every server has ended");
  }

  return {
    url: main.url,
    adminUrl,
    gateway,
    settled,
    view: operations.view,
    reload,
    close() {
      closing ??= shutDown();
      return closing;
    },
  };
}

/** Addresses are often written with one at the end. */
function withoutSlash(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}

/** What an earlier gateway left behind is ended first: it may hold what a server of this one needs. */
async function openLedger(folder: string | undefined, log: Log): Promise<ProcessLedger | undefined> {
  if (folder === undefined) return undefined;
  for (const { upstream, pid } of await endOrphanedProcesses(folder)) {
    log.warn("child.orphan", `ended process ${pid} of ${upstream}, which a gateway that was killed had left behind`, {
      upstream,
      pid,
    });
  }
  return openProcessLedger(folder, (error) =>
    log.warn("child.unnoted", `processes that run are not noted in ${folder}: ${error.message}`),
  );
}
