// Everything around a gateway that operators need, put together: the front, the log, metrics, health, administration. What
// depends on the configuration is made anew when that changes.
import { type Caller, method, processMemory } from "@lethe/protocol";
import type { Sender } from "@lethe/server/auth";
import type { RouteLookup } from "@lethe/server/edge";
import type { ReadConfig } from "../config/read-config.ts";
import type { Edge } from "../edge/edge.ts";
import type { EdgeEndpoint } from "../edge/edge-endpoint.ts";
import { basePath } from "../edge/endpoints/endpoint.ts";
import type { Gateway } from "../edge/endpoints/gateway.ts";
import type { GatewayOptions } from "../edge/endpoints/gateway-options.ts";
import type { UpstreamChanges } from "../edge/endpoints/upstream-entries.ts";
import { createHealthRoutes, type Readiness } from "../edge/health.ts";
import { createLegacyClients, endpointPathOf, namesakePathOf } from "../edge/legacy-clients.ts";
import type { Target } from "../edge/policy/policy.ts";
import { cardStep, createCardRoute } from "../edge/server-card.ts";
import { isUpstreamPath } from "../edge/unknown-endpoint.ts";
import { gatewayInfo } from "../upstreams/connection/own-request.ts";
import type { SharedState } from "../upstreams/directory/shared-state.ts";
import { type ActiveConfigOptions, activateConfig } from "./active-config.ts";
import type { AdminSource } from "./admin/admin-routes.ts";
import { toGatewayView } from "./admin/view.ts";
import { createExchangeRing } from "./observe/exchange-ring.ts";
import type { GatewayView } from "./observe/gateway-view.ts";
import { keptStateOf } from "./observe/kept-state.ts";
import { createLineTails } from "./observe/line-tails.ts";
import type { Log } from "./observe/log.ts";
import { createMetrics, type Metrics } from "./observe/metrics.ts";
import { toOrigin } from "./observe/origin.ts";
import type { Redactor } from "./observe/redact.ts";
import { findTelemetryApi } from "./observe/telemetry-api.ts";
import { createUpstreamLog } from "./upstream-log.ts";

export interface OperationsOptions {
  log: Log;
  logsRequests: boolean;
  keys: GatewayOptions["keys"] | undefined;
  /** Asked only after it is there. */
  gateway(): Gateway;
  reload: AdminSource["reload"];
  read: ReadConfig;
  /** Undefined for a gateway that is alone. */
  shared?: SharedState | undefined;
}

export interface Operations {
  readonly redactor: Redactor;
  readonly front: Edge;
  readonly metrics: Metrics;
  readonly adminRouteAt: RouteLookup;
  readonly healthRouteAt: RouteLookup;
  readonly cardRouteAt: RouteLookup;
  view(): GatewayView;
  /** For the gateway, which tells what happens. */
  readonly gatewayOptions: Pick<
    Required<GatewayOptions>,
    "onEvent" | "onProblem" | "onStderr" | "mayRead" | "mayCall" | "mask"
  >;
  onError(error: unknown): void;
  /** A request was turned away before anybody looked at what it asks. */
  onRefused(reason: unknown, sender?: Sender): void;
  /** A connection was closed because `limits.maxConnections` were open. */
  onConnectionRefused(): void;
  /**
   * The gateway is there and listens; it is ready when its beginning is over, and required upstreams are up. Resolves when
   * it is told what every upstream is.
   */
  begin(): Promise<void>;
  /** Another configuration is in force. */
  apply(read: ReadConfig): void;
  /** Says what new upstreams are, and what follows from it, once that is known; then it resolves. */
  follow(upstreams: Pick<UpstreamChanges, "settled">): Promise<void>;
  /** Not ready any more. */
  drain(): void;
}

const defaultExchanges = 200;
const connectionWarningMs = 60_000;

export async function createOperations(options: OperationsOptions): Promise<Operations> {
  const { log, gateway, shared } = options;
  const telemetryApi = await findTelemetryApi({ onProblem: (problem) => log.warn("telemetry.unheard", problem) });
  const startedAt = Date.now();
  const tails = createLineTails();
  const news = createUpstreamLog({
    log,
    upstreams: () => gateway().upstreams,
    hasAuth,
    hasReplicas: shared !== undefined,
  });
  const metrics = createMetrics(view);
  let state: "starting" | "serving" | "draining" = "starting";
  let nextConnectionWarning = 0;
  const healthRoutes = createHealthRoutes(readiness);
  const legacyOf = createLegacyClients({
    settings: options.read.config.settings ?? {},
    keys: options.keys,
    shared: shared?.legacy,
    dispatchOf: (endpoint) =>
      endpointAt(endpoint.path) === endpoint ? inForce.front.servableAt(endpoint.path)?.dispatch : undefined,
    onError,
    onWarning: (warning) => log.warn("legacy.warning", warning),
  });
  const parts: ActiveConfigOptions = {
    front: {
      ...{ endpointAt, telemetryApi, legacyOf, rates: shared?.rates },
      likeAt(path) {
        const isName = isUpstreamPath(endpointPathOf(path, basePath) ?? path, basePath);
        return isName ? gateway().endpointAt(basePath) : undefined;
      },
      onDone(record, bodies) {
        metrics.observe(record);
        ring.add(record, bodies);
        if (options.logsRequests) log.note("request", record);
      },
      onRefused,
    },
    admin: {
      view,
      exchanges: (query) => ring.list(query),
      stderrOf: (name) => tails.of(name).map((line) => inForce.redactor.text(line)),
      config: () => inForce.redactor.value(inForce.read.config),
      about: () => ({
        name: gatewayInfo.name,
        version: gatewayInfo.version,
        state,
        upSeconds: Math.round((Date.now() - startedAt) / 1_000),
        files: inForce.read.files,
        notes: inForce.read.notes,
        memory: {
          held: processMemory.heldByKind,
          heldBytes: processMemory.heldBytes,
          softBytes: processMemory.softBytes,
          hardBytes: processMemory.hardBytes,
        },
      }),
      metrics,
      reload: options.reload,
      onRefused,
    },
  };
  let inForce = activateConfig(options.read, parts);
  const ring = createExchangeRing(inForce.settings.admin?.exchanges ?? defaultExchanges, {
    text: (text) => inForce.redactor.text(text),
    value: (value) => inForce.redactor.value(value),
    isLongerThan: (maxLength, value) => inForce.redactor.isLongerThan(maxLength, value),
  });

  function hasAuth(): boolean {
    return inForce.settings.auth !== undefined;
  }

  function may(caller: Caller | undefined, target: Target): boolean {
    return inForce.policy === undefined || inForce.policy.profileOf(caller).decide(target) === "allow";
  }

  function endpointAt(path: string): EdgeEndpoint | undefined {
    const found = gateway().endpointAt(path);
    if (found) return found;
    const namesake = namesakePathOf(path);
    const named = namesake === undefined ? undefined : gateway().endpointAt(namesake);
    if (named) return named;
    const below = endpointPathOf(path, basePath);
    return below === undefined ? undefined : gateway().endpointAt(below);
  }

  function onRefused(reason: unknown, sender?: Sender): void {
    metrics.refused();
    log.warn("request.refused", "a request was turned away", {
      reason: wordsOf(reason),
      ...(sender && toOrigin(sender)),
    });
  }

  function onConnectionRefused(): void {
    metrics.connectionRefused();
    // A flood of connections must not become a flood of lines.
    if (Date.now() < nextConnectionWarning) return;
    nextConnectionWarning = Date.now() + connectionWarningMs;
    log.warn("connection.refused", "connections are refused: gateway.limits.maxConnections are open");
  }

  function onError(error: unknown): void {
    log.error("error", wordsOf(error));
  }

  function view(): GatewayView {
    const { upstreams, retiring, parked, tasks, endpointAt, problemsOf } = gateway();
    return toGatewayView({
      ...{ upstreams, retiring, parked, tasks, problemsOf },
      offerOf(name) {
        const catalog = endpointAt(`${basePath}/${name}`)?.view.current;
        const { tools = [], prompts = [], resources = [] } = catalog ?? {};
        return { tools: tools.length, prompts: prompts.length, resources: resources.length };
      },
      keptStateOf: (name) => keptStateOf(endpointAt(`${basePath}/${name}`)?.view.current.tools ?? []),
      failureOf: news.failureOf,
      shared: shared && { replica: shared.directory.self.slice(0, 8), ...shared.status },
      hasAuth: hasAuth(),
      redactor: inForce.redactor,
    });
  }

  function readiness(): Readiness {
    if (state !== "serving") return { isReady: false, state };
    const { upstreams } = view();
    const isUp = ({ state: own }: { state: string }) => own === "ready" || own === "idle";
    const required = new Set(
      inForce.read.config.upstreams.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    );
    const isReady = upstreams.some(isUp) && upstreams.filter(({ name }) => required.has(name)).every(isUp);
    if (!isReady) return { isReady, state: "waiting for upstreams" };
    // What needs no other replica is served all the same, and were every replica to leave, nothing would be.
    return { isReady, state: shared?.status.isReached === false ? "ready, without Redis" : "ready" };
  }

  function begin(): Promise<void> {
    const { begun } = gateway();
    void begun.then(() => {
      if (state === "starting") state = "serving";
    });
    return follow(gateway());
  }

  async function follow({ settled }: Pick<UpstreamChanges, "settled">): Promise<void> {
    // Either may be first; before it serves, nothing is told.
    await Promise.all([gateway().begun, settled]);
    if (state === "serving") news.logVerdicts();
  }

  return {
    get redactor() {
      return inForce.redactor;
    },
    get front() {
      return inForce.front;
    },
    metrics,
    view,
    adminRouteAt: (path) => inForce.adminRouteAt(path),
    healthRouteAt: (path) => healthRoutes.get(path),
    cardRouteAt(path) {
      if (!path.endsWith(cardStep)) return undefined;
      const described = path.slice(0, -cardStep.length);
      // Where names are not told, a card tells none either.
      const isThere = gateway().endpointAt(described) || (hasAuth() && isUpstreamPath(described, basePath));
      return isThere ? createCardRoute({ path: described, basePath, settings: inForce.settings }) : undefined;
    },
    gatewayOptions: {
      onEvent: news.tell,
      onProblem: (problem, upstream) => log.warn("catalog.problem", problem, { upstream }),
      onStderr(upstream, line) {
        // Before it is cut.
        tails.add(upstream, inForce.redactor.text(line));
        log.info("upstream.stderr", line, { upstream });
      },
      mask: {
        text: (text) => inForce.mask.text(text),
        value: (value) => inForce.mask.value(value),
      },
      mayRead: (caller, upstream, name) =>
        may(caller, { method: method.readResource, upstream, kind: "resource", name }),
      mayCall: (caller, upstream, name) => may(caller, { method: method.callTool, upstream, kind: "tool", name }),
    },
    onError,
    onRefused,
    onConnectionRefused,
    begin,
    apply(read) {
      inForce = activateConfig(read, parts, inForce);
      const names = read.config.upstreams.map(({ name }) => name);
      tails.keep(names);
      news.keep(names);
    },
    follow,
    drain() {
      state = "draining";
    },
  };
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  // Whatever else a library puts there has no words.
  return cause instanceof Error ? `${error.message}: ${wordsOf(cause)}` : error.message;
}
