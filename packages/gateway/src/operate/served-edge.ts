// The edge of a running gateway, rebuilt when the configuration changes, over the endpoints that the gateway has now.
import type { Dispatch } from "@lethe/protocol";
import type { Route, Servable } from "@lethe/server/edge";
import type { TelemetryOptions } from "@lethe/server/middleware";
import { StepRecorder, type StepRecorderOptions } from "../calls/step-recorder.ts";
import { createAffinityKey } from "../edge/affinity-hints.ts";
import type { CallerUse } from "../edge/caller-limits.ts";
import { createEdge, type Edge, type EdgeOptions } from "../edge/edge.ts";
import type { EdgeEndpoint } from "../edge/endpoints/edge-endpoint.ts";
import { basePath } from "../edge/endpoints/endpoint.ts";
import type { Gateway } from "../edge/endpoints/gateway.ts";
import type { GatewayOptions } from "../edge/endpoints/gateway-options.ts";
import { createLegacyClients, endpointPathOf, namesakePathOf } from "../edge/legacy-clients.ts";
import { cardStep, createCardRoute } from "../edge/server-card.ts";
import { isUpstreamPath } from "../edge/unknown-endpoint.ts";
import { createTracing } from "../tracing/tracing.ts";
import type { SharedState } from "../upstreams/directory/shared-state.ts";
import type { ActiveConfig } from "./active-config.ts";
import { maskBody } from "./observe/exchange-ring.ts";
import type { Log } from "./observe/log.ts";
import type { RequestMonitor } from "./request-monitor.ts";

export interface ServedEdgeOptions {
  readonly active: ActiveConfig;
  readonly gateway: Gateway;
  readonly log: Log;
  readonly monitor: RequestMonitor;
  /** Seal the sessions of legacy clients. Default: the keys of the environment. */
  readonly keys: GatewayOptions["keys"] | undefined;
  /** Undefined for a gateway without replicas. */
  readonly shared: SharedState | undefined;
  readonly telemetryApi: TelemetryOptions["api"] | undefined;
  /** The first characters of the id of this replica. */
  readonly replica: string;
}

export class ServedEdge {
  readonly #active: ActiveConfig;
  readonly #gateway: Gateway;
  readonly #fixed: Omit<EdgeOptions, "settings" | "policy">;
  #edge: Edge;

  constructor({ active, gateway, log, monitor, keys, shared, telemetryApi, replica }: ServedEdgeOptions) {
    this.#active = active;
    this.#gateway = gateway;
    const steps: StepRecorderOptions = {
      self: `replica:${replica}`,
      maskText: (text) => active.redactor.text(text),
      maskBody: (body) => (active.settings.admin?.bodies ? maskBody(body, active.redactor) : undefined),
    };
    const { redis, postgres } = active.settings;
    this.#fixed = {
      ...{ tracing: telemetryApi && createTracing(telemetryApi), rates: shared?.rates },
      affinityKey: createAffinityKey(keys, (redis ?? postgres) !== undefined),
      endpointAt: (path) => this.#endpointAt(path),
      likeAt: (path) => (isUpstreamPath(endpointPathOf(path, basePath) ?? path, basePath) ? this.#merged : undefined),
      legacyOf: createLegacyClients({
        settings: active.settings,
        keys,
        shared: shared?.legacy,
        dispatchOf: (endpoint) => this.#dispatchOf(endpoint),
        onError: (error) => monitor.failed(error),
        onWarning: (warning) => log.warn("legacy.warning", warning),
      }),
      onDone: (record, recorded) => monitor.finished(record, recorded),
      showsNext: (upstream) => monitor.showsNext(upstream),
      createSteps: (onStep) => new StepRecorder(steps, onStep),
      onRefused: (reason, sender) => monitor.refused(reason, sender),
    };
    this.#edge = this.#build();
  }

  /** Applies changed settings to new requests. Running requests keep the settings they began with. */
  rebuild(): void {
    this.#edge = this.#build();
  }

  /** Undefined if callers do not authenticate. */
  callerUse(): CallerUse | undefined {
    return this.#edge.callerUse();
  }

  servableAt(path: string): Servable | undefined {
    return this.#edge.servableAt(path);
  }

  /** The endpoint for requests that another replica has admitted and counted. The policy still applies. */
  forwardedAt(path: string): Dispatch | undefined {
    return this.#edge.forwardedAt(path);
  }

  /** The server card of an endpoint, below its path. */
  cardRouteAt(path: string): Route | undefined {
    if (!path.endsWith(cardStep)) return undefined;
    const described = path.slice(0, -cardStep.length);
    // With authentication, upstream names are secret: a card must not show which names exist.
    const isShown =
      this.#gateway.endpointAt(described) || (this.#active.hasAuth && isUpstreamPath(described, basePath));
    return isShown ? createCardRoute({ path: described, basePath, settings: this.#active.settings }) : undefined;
  }

  #build(): Edge {
    const { settings, policy } = this.#active;
    return createEdge({ ...this.#fixed, settings, policy });
  }

  get #merged(): EdgeEndpoint | undefined {
    return this.#gateway.endpointAt(basePath);
  }

  #endpointAt(path: string): EdgeEndpoint | undefined {
    const found = this.#gateway.endpointAt(path);
    if (found) return found;
    const namesake = namesakePathOf(path);
    const named = namesake === undefined ? undefined : this.#gateway.endpointAt(namesake);
    if (named) return named;
    const below = endpointPathOf(path, basePath);
    return below === undefined ? undefined : this.#gateway.endpointAt(below);
  }

  /** Returns undefined when the endpoint has been removed or replaced. */
  #dispatchOf(endpoint: EdgeEndpoint): Dispatch | undefined {
    if (this.#endpointAt(endpoint.path) !== endpoint) return undefined;
    return this.#edge.servableAt(endpoint.path)?.dispatch;
  }
}
