// The Prometheus metrics: counters of finished requests, and gauges of the gateway's current state.
import { method, processMemory } from "@lethe/protocol";
import {
  Counter,
  collectDefaultMetrics,
  type MetricObjectWithValues,
  type MetricValueWithName,
  Registry,
} from "prom-client";
import { type TelemetrySignal, telemetrySignals } from "../../config/schema/telemetry-signals.ts";
import { toReasonLabel } from "../../edge/failure-reason.ts";
import type { RequestRecord } from "../../edge/request-record.ts";
import { createBoundedLabel } from "./bounded-label.ts";
import type { GatewayView } from "./gateway-view.ts";
import { createCounter, createHistogram } from "./labelled-metrics.ts";
import { createMemoryMetrics } from "./memory-metrics.ts";
import { createNameMetrics } from "./name-metrics.ts";
import { rejectionReasons } from "./rejections.ts";
import { createStateMetrics } from "./state-metrics.ts";

export interface Metrics {
  observe(record: RequestRecord): void;
  /** Counts a request that was refused for its token, key, Host or Origin. */
  refused(): void;
  /** Counts a request that was rejected before it reached an endpoint. `reason` is from a closed list. */
  rejected(reason: string): void;
  connectionRefused(): void;
  reloaded(outcome: "applied" | "refused"): void;
  /** Counts an export of telemetry that failed for good. */
  exportFailed(signal: TelemetrySignal): void;
  readonly contentType: string;
  /** Returns the metrics in the text format of Prometheus, with the state of this view. */
  text(view: GatewayView): Promise<string>;
  /** The same metrics as values. */
  values(view: GatewayView): Promise<MetricObjectWithValues<MetricValueWithName<string>>[]>;
}

const knownMethods: ReadonlySet<string> = new Set(Object.values(method));
const seconds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** Further revisions of relayed requests count as "other". */
const maxMeasuredRevisions = 20;

/** By default the event loop is sampled every 10 ms, which wakes an idle gateway a hundred times a second. */
const loopSampleMs = 200;

/** `registry` receives the metrics, for documents that list them. */
export function createMetrics(registry: Registry = new Registry()): Metrics {
  const registers = [registry];
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: loopSampleMs });
  const countRequest = createCounter(registry, {
    name: "lethe_requests_total",
    help: "Requests that are done, by where they went, how they ended, why they failed, and the later revision in which they were relayed",
    labelNames: ["method", "upstream", "outcome", "reason", "revision"],
  });
  const toRevision = createBoundedLabel(maxMeasuredRevisions);
  const perName = createNameMetrics(registry);
  const duration = {
    name: "lethe_request_duration_seconds",
    help: "How long requests took; subscriptions are not counted",
    labelNames: ["method", "upstream"],
  };
  const observeDuration = createHistogram(registry, duration, seconds);
  const replicaFailures = new Counter({
    registers,
    name: "lethe_shared_failures_total",
    help: "Requests that failed at another replica or for want of the shared store, by reason",
    labelNames: ["reason"],
  });
  const refusals = new Counter({
    registers,
    name: "lethe_refused_total",
    help: "Requests refused for their token, key, Host or Origin",
  });
  const rejections = new Counter({
    registers,
    name: "lethe_http_rejected_total",
    help: "HTTP requests rejected before they reached an endpoint, by reason",
    labelNames: ["reason"],
  });
  const refusedConnections = new Counter({
    registers,
    name: "lethe_connections_refused_total",
    help: "Connections closed because limits.maxConnections were open",
  });
  const reloads = new Counter({
    registers,
    name: "lethe_config_reloads_total",
    help: "Changes of the configuration, applied or refused",
    labelNames: ["outcome"],
  });
  const failedExports = new Counter({
    registers,
    name: "lethe_telemetry_failures_total",
    help: "Exports of traces, metrics or logs that failed, so that their data is lost",
    labelNames: ["signal"],
  });
  // A rate needs a first value: without it, the first event would not count.
  for (const outcome of ["applied", "refused"]) reloads.inc({ outcome }, 0);
  for (const reason of rejectionReasons.values()) rejections.inc({ reason }, 0);
  for (const signal of telemetrySignals) failedExports.inc({ signal }, 0);
  const state = createStateMetrics(registers);
  const memory = createMemoryMetrics(registers, processMemory);

  return {
    observe(record) {
      const { method: requested, upstream = "", outcome, ms, reason, revision, replicaFailure } = record;
      // Labels are kept forever, so clients must not be able to invent them.
      const label = knownMethods.has(requested) ? requested : "other";
      const why = reason === undefined ? undefined : toReasonLabel(reason);
      const relayed = revision === undefined ? undefined : toRevision(revision, true);
      countRequest([label, upstream, outcome, why, relayed]);
      perName.observe(record);
      if (replicaFailure) replicaFailures.inc({ reason: replicaFailure });
      if (requested !== method.listen) observeDuration([label, upstream], ms / 1_000);
    },
    refused: () => refusals.inc(),
    rejected: (reason) => rejections.inc({ reason }),
    connectionRefused: () => refusedConnections.inc(),
    reloaded: (outcome) => reloads.inc({ outcome }),
    exportFailed: (signal) => failedExports.inc({ signal }),
    contentType: registry.contentType,
    text(view) {
      state.follow(view);
      memory.follow();
      return registry.metrics();
    },
    async values(view) {
      state.follow(view);
      memory.follow();
      return (await registry.getMetricsAsJSON()) as MetricObjectWithValues<MetricValueWithName<string>>[];
    },
  };
}
