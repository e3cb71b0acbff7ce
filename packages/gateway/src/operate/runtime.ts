// The runtime of a gateway: its edge, status, administration and reloads, and its state from start to stop.
import type { Dispatch } from "@lethe/protocol";
import type { Route } from "@lethe/server/edge";
import type { TelemetryOptions } from "@lethe/server/middleware";
import type { ReadConfig } from "../config/read-config.ts";
import type { AdminSettings } from "../config/schema/settings.ts";
import type { Gateway } from "../edge/endpoints/gateway.ts";
import type { GatewayOptions } from "../edge/endpoints/gateway-options.ts";
import type { UpstreamChanges } from "../edge/endpoints/upstream-entries.ts";
import { createHealthRoutes, type Readiness } from "../edge/health.ts";
import { createPeerRoute } from "../edge/peer-route.ts";
import type { SharedState } from "../upstreams/directory/shared-state.ts";
import type { ActiveConfig } from "./active-config.ts";
import { Administration } from "./admin/administration.ts";
import type { AdminSource } from "./admin/answers/admin-source.ts";
import type { AdminEndpoint } from "./admin/api/endpoints.ts";
import type { ReloadOutcome } from "./admin/api/health.ts";
import type { Listening } from "./admin/api/overview.ts";
import { toEndpointViews } from "./endpoint-views.ts";
import { GatewayStatus, type RuntimeState } from "./gateway-status.ts";
import { createMetricsDispatch, type Siblings, workerMetricsPath } from "./join-workers.ts";
import { type OpenWork, toLimitUse } from "./limit-use.ts";
import type { GatewayView } from "./observe/gateway-view.ts";
import type { LineTails } from "./observe/line-tails.ts";
import type { Log } from "./observe/log.ts";
import type { LogTail } from "./observe/log-tail.ts";
import type { ProcessList } from "./observe/process-list.ts";
import { Reloader } from "./reload.ts";
import { RequestMonitor } from "./request-monitor.ts";
import { ServedEdge } from "./served-edge.ts";
import type { UpstreamLog } from "./upstream-log.ts";

export interface RuntimeOptions {
  readonly active: ActiveConfig;
  readonly log: Log;
  /** Whether the log gets an entry for each request. */
  readonly logsRequests: boolean;
  readonly gateway: Gateway;
  readonly upstreamLog: UpstreamLog;
  /** The last lines that upstreams wrote to stderr. */
  readonly stderrTails: LineTails;
  readonly processes: ProcessList;
  readonly logTail: LogTail;
  readonly keys: GatewayOptions["keys"] | undefined;
  /** Undefined for a gateway without replicas. */
  readonly shared: SharedState | undefined;
  /** The other workers of this gateway. Undefined for a gateway of one process. */
  readonly siblings: Siblings | undefined;
  readonly telemetryApi: TelemetryOptions["api"] | undefined;
  /** Reads the configuration again. Rejects with ConfigError. */
  load(): Promise<ReadConfig>;
}

export class Runtime {
  readonly edge: ServedEdge;
  readonly monitor: RequestMonitor;
  readonly #options: RuntimeOptions;
  readonly #status: GatewayStatus;
  readonly #reloader: Reloader;
  readonly #healthRoutes: ReadonlyMap<string, Route>;
  readonly #peerRoute: Route | undefined;
  readonly #administration: Administration;
  #open: () => OpenWork = () => ({ connections: 0, load: { receiving: 0, running: 0, streams: 0 } });
  #listening: Listening = { url: "", adminUrl: "" };
  #state: RuntimeState = "starting";
  /** Whether all workers stop, so that none takes the traffic of this one. */
  #isWholeStopping = false;
  readonly #metricsDispatch: Dispatch = createMetricsDispatch(() => this.monitor.metrics.values(this.view()));
  /** Reloads the configuration of all workers. */
  #reloadAll: (() => Promise<ReloadOutcome>) | undefined;

  constructor(options: RuntimeOptions) {
    const { active, log, logsRequests, gateway, upstreamLog, logTail, shared, load } = options;
    const replica = (shared?.directory.self ?? crypto.randomUUID()).slice(0, 8);
    this.#options = options;
    this.monitor = new RequestMonitor(active, log, { logsRequests });
    this.edge = new ServedEdge({ ...options, monitor: this.monitor, replica });
    this.#status = new GatewayStatus({ active, gateway, upstreamLog, shared, replica });
    this.#reloader = new Reloader({
      ...{ active, log, load, metrics: this.monitor.metrics },
      apply: (read) => this.#apply(read),
      restore: (read) => this.#activate(read),
      isStopping: () => this.#state === "draining" || this.#state === "stopped",
    });
    this.#healthRoutes = createHealthRoutes(() => this.readiness);
    this.#peerRoute = shared?.peers && createPeerRoute(shared.peers);
    const source = this.#toAdminSource(replica);
    this.#administration = new Administration({ source, logTail, shared, settings: active.settings.admin });
  }

  get state(): RuntimeState {
    return this.#state;
  }

  view(): GatewayView {
    return this.#status.view();
  }

  /** As `/readyz` says it: a worker is ready for the traffic that it shares with others if one of them is. */
  get readiness(): Readiness {
    const own = this.ownReadiness;
    if (own.isReady || this.#isWholeStopping || !this.#options.siblings?.isOneReady) return own;
    return { isReady: true, state: "ready" };
  }

  /** The readiness of this process alone. */
  get ownReadiness(): Readiness {
    return this.#status.readiness(this.#state);
  }

  get connections(): number {
    return this.#open().connections;
  }

  healthRouteAt(path: string): Route | undefined {
    return this.#healthRoutes.get(path);
  }

  /** The route at which other replicas ask this one directly. */
  peerRouteAt(path: string): Route | undefined {
    return path === this.#options.shared?.peers?.path ? this.#peerRoute : undefined;
  }

  adminRouteAt(path: string): Route | undefined {
    return this.#administration.routeAt(path);
  }

  /** An endpoint of this replica, or its administration, for requests of other replicas. */
  forwardedAt(path: string): Dispatch | undefined {
    if (path === workerMetricsPath) return this.#metricsDispatch;
    return this.#administration.dispatchAt(path) ?? this.edge.forwardedAt(path);
  }

  /** Administrators see where the gateway listens, and what is open. */
  listens(listening: Listening, open: () => OpenWork): void {
    this.#listening = listening;
    this.#open = open;
  }

  /** The settings in force now. */
  get adminSettings(): AdminSettings | undefined {
    return this.#options.active.settings.admin;
  }

  /** A configuration with problems changes nothing. Never rejects. */
  reload(): Promise<ReloadOutcome> {
    return this.#reloader.reload();
  }

  /** From now on, an operator who reloads the configuration reloads that of all workers. */
  reloadsBy(reloadAll: () => Promise<ReloadOutcome>): void {
    this.#reloadAll = reloadAll;
  }

  /** Reloads the configuration whenever its files change. */
  watchFiles(): Promise<void> {
    return this.#reloader.watchFiles();
  }

  /** Moves from `starting` to `serving` once the startup wait is over. Resolves when the verdict on every upstream is logged. */
  begin(): Promise<void> {
    const { gateway } = this.#options;
    void gateway.begun.then(() => {
      if (this.#state === "starting") this.#state = "serving";
    });
    return this.#logSettled(gateway);
  }

  /** All workers stop: from now on, this one answers readiness checks for itself. */
  stopsWhole(): void {
    this.#isWholeStopping = true;
  }

  /** Moves to `draining`: readiness fails, and the configuration is not reloaded any more. */
  drain(): void {
    this.#state = "draining";
    this.#options.gateway.drain();
    this.#reloader.close();
    this.#administration.close();
  }

  stopped(): void {
    this.#state = "stopped";
    this.monitor.watching.stop();
  }

  #apply(read: ReadConfig): UpstreamChanges {
    this.#activate(read);
    const { upstreams, settings: { shutdown, endpoints = {} } = {} } = read.config;
    const { graceMs } = shutdown ?? {};
    const options = { endpoints, ...(graceMs !== undefined && { graceMs }) };
    const changes = this.#options.gateway.reconfigure(upstreams, options);
    void this.#logSettled(changes);
    return changes;
  }

  #activate(read: ReadConfig): void {
    const { active, stderrTails, upstreamLog, processes } = this.#options;
    active.replace(read);
    this.edge.rebuild();
    this.#administration.reconfigure(active.settings.admin);
    const names = new Set(read.config.upstreams.map(({ name }) => name));
    for (const kept of [stderrTails, upstreamLog, processes, this.monitor.traffic]) kept.keep(names);
  }

  #toAdminSource(replica: string): AdminSource {
    const { active, gateway, log, stderrTails, processes } = this.#options;
    const { exchanges, traffic, metrics, watching } = this.monitor;
    return {
      ...{ replica, exchanges, traffic, metrics, processes, watching, redactor: active.redactor },
      ...{ log, operator: gateway.operator },
      view: () => this.view(),
      about: () => this.#status.about(this.#state, this.#listening),
      stderrOf: (name) => stderrTails.of(name).map((line) => active.redactor.text(line)),
      catalogsOf: (name) => this.#status.catalogsOf(name),
      endpoints: () => {
        const { url } = this.#listening;
        return active.redactor.value(toEndpointViews({ gateway, settings: active.settings, url })) as AdminEndpoint[];
      },
      readiness: () => this.readiness,
      metricsText: async () => {
        const { siblings } = this.#options;
        if (!siblings) return metrics.text(this.view());
        return siblings.metricsText(await metrics.values(this.view()));
      },
      limits: () =>
        toLimitUse({
          ...{ gateway, settings: active.settings, open: this.#open(), callers: this.edge.callerUse() },
          offerOf: (name) => this.#status.offerOf(name),
        }),
      config: () => active.redactor.value(active.read.config),
      changes: () => this.#reloader.changes(),
      reload: () => this.#reloadAll?.() ?? this.reload(),
      onRefused: (reason, sender) => this.monitor.refused(reason, sender),
    };
  }

  /** Logs new verdicts once upstreams have settled, but not before the gateway serves. */
  async #logSettled({ settled }: Pick<UpstreamChanges, "settled">): Promise<void> {
    const { gateway, upstreamLog } = this.#options;
    await Promise.all([gateway.begun, settled]);
    if (this.#state === "serving") upstreamLog.logVerdicts();
  }
}
