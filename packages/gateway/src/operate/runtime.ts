// The runtime of a gateway: its edge, status, administration and reloads, and its state from start to stop.
import type { Route } from "@lethe/server/edge";
import type { TelemetryOptions } from "@lethe/server/middleware";
import type { ReadConfig } from "../config/read-config.ts";
import type { Gateway } from "../edge/endpoints/gateway.ts";
import type { GatewayOptions } from "../edge/endpoints/gateway-options.ts";
import type { UpstreamChanges } from "../edge/endpoints/upstream-entries.ts";
import { createHealthRoutes } from "../edge/health.ts";
import { createPeerRoute } from "../edge/peer-route.ts";
import type { SharedState } from "../upstreams/directory/shared-state.ts";
import type { ActiveConfig } from "./active-config.ts";
import { AdminEvents } from "./admin/admin-events.ts";
import { type AdminSource, createAdminRoutes, toAdminState } from "./admin/admin-routes.ts";
import { GatewayStatus, type RuntimeState } from "./gateway-status.ts";
import type { GatewayView } from "./observe/gateway-view.ts";
import type { LineTails } from "./observe/line-tails.ts";
import type { Log } from "./observe/log.ts";
import { Reloader, type ReloadOutcome } from "./reload.ts";
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
  readonly keys: GatewayOptions["keys"] | undefined;
  /** Undefined for a gateway without replicas. */
  readonly shared: SharedState | undefined;
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
  readonly #adminSource: AdminSource;
  #adminRouteAt: ReturnType<typeof createAdminRoutes>;
  #state: RuntimeState = "starting";

  constructor(options: RuntimeOptions) {
    const { active, log, logsRequests, gateway, upstreamLog, stderrTails, shared, load } = options;
    this.#options = options;
    this.monitor = new RequestMonitor(active, log, { logsRequests });
    this.edge = new ServedEdge({ ...options, monitor: this.monitor });
    this.#status = new GatewayStatus({ active, gateway, upstreamLog, shared });
    this.#reloader = new Reloader({
      ...{ active, log, load, metrics: this.monitor.metrics },
      apply: (read) => this.#apply(read),
      restore: (read) => this.#activate(read),
      isStopping: () => this.#state === "draining" || this.#state === "stopped",
    });
    this.#healthRoutes = createHealthRoutes(() => this.#status.readiness(this.#state));
    this.#peerRoute = shared?.peers && createPeerRoute(shared.peers);
    this.#adminSource = {
      view: () => this.view(),
      exchanges: (query) => this.monitor.exchanges.list(query),
      stderrOf: (name) => stderrTails.of(name).map((line) => active.redactor.text(line)),
      config: () => active.redactor.value(active.read.config),
      about: () => this.#status.about(this.#state),
      metrics: this.monitor.metrics,
      events: new AdminEvents({ ring: this.monitor.exchanges, state: () => toAdminState(this.#adminSource) }),
      reload: () => this.reload(),
      onRefused: (reason, sender) => this.monitor.refused(reason, sender),
    };
    this.#adminRouteAt = createAdminRoutes(this.#adminSource, active.settings.admin);
  }

  get state(): RuntimeState {
    return this.#state;
  }

  view(): GatewayView {
    return this.#status.view();
  }

  healthRouteAt(path: string): Route | undefined {
    return this.#healthRoutes.get(path);
  }

  /** The route at which other replicas ask this one directly. */
  peerRouteAt(path: string): Route | undefined {
    return path === this.#options.shared?.peers?.path ? this.#peerRoute : undefined;
  }

  adminRouteAt(path: string): Route | undefined {
    return this.#adminRouteAt(path);
  }

  /** A configuration with problems changes nothing. Never rejects. */
  reload(): Promise<ReloadOutcome> {
    return this.#reloader.reload();
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

  /** Moves to `draining`: readiness fails, and the configuration is not reloaded any more. */
  drain(): void {
    this.#state = "draining";
    this.#reloader.close();
    this.#adminSource.events.close();
  }

  stopped(): void {
    this.#state = "stopped";
  }

  #apply(read: ReadConfig): UpstreamChanges {
    this.#activate(read);
    const { upstreams, settings: { shutdown } = {} } = read.config;
    const { graceMs } = shutdown ?? {};
    const changes = this.#options.gateway.reconfigure(upstreams, graceMs === undefined ? {} : { graceMs });
    void this.#logSettled(changes);
    return changes;
  }

  #activate(read: ReadConfig): void {
    const { active, stderrTails, upstreamLog } = this.#options;
    active.replace(read);
    this.edge.rebuild();
    this.#adminRouteAt = createAdminRoutes(this.#adminSource, active.settings.admin);
    // The key may be another one now.
    this.#adminSource.events.restart();
    const names = read.config.upstreams.map(({ name }) => name);
    stderrTails.keep(names);
    upstreamLog.keep(names);
  }

  /** Logs new verdicts once upstreams have settled, but not before the gateway serves. */
  async #logSettled({ settled }: Pick<UpstreamChanges, "settled">): Promise<void> {
    const { gateway, upstreamLog } = this.#options;
    await Promise.all([gateway.begun, settled]);
    if (this.#state === "serving") upstreamLog.logVerdicts();
  }
}
