// The OpenTelemetry SDK with OTLP exporters. Loaded only if something is exported. Nothing is registered globally, so that several
// gateways in one process export independently.
import { hostname } from "node:os";
import { ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  CompositePropagator,
  getNumberFromEnv,
  W3CBaggagePropagator,
  W3CTraceContextPropagator,
} from "@opentelemetry/core";
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import { BatchLogRecordProcessor, LoggerProvider } from "@opentelemetry/sdk-logs";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace-base";
import { defaultTelemetry } from "../../config/schema/defaults.ts";
import type { TelemetryApi } from "../../tracing/trace-link.ts";
import type { LogSink } from "../observe/log.ts";
import { ExportAgents } from "./export-agent.ts";
import { loadGrpcExporters } from "./grpc-exporters.ts";
import { createLogRecords } from "./log-records.ts";
import { createExporter, type ExporterOptions } from "./otlp-exporters.ts";
import { createPrometheusBridge, type PrometheusMetric } from "./prometheus-bridge.ts";
import type { TelemetryPlan } from "./telemetry-plan.ts";

export interface OtlpExportOptions extends Pick<ExporterOptions, "onFailure"> {
  readonly plan: TelemetryPlan;
  /** `service.version`. */
  readonly version: string;
  /** Reads the Prometheus metrics. Undefined until the gateway runs. */
  readMetrics(): Promise<readonly PrometheusMetric[] | undefined>;
}

export interface OtlpExport {
  /** Undefined if neither traces nor metrics are exported. */
  readonly api: TelemetryApi | undefined;
  /** Undefined if logs are not exported. */
  readonly log: LogSink | undefined;
  /** Exports what is left, for `flushMs` at most. Never rejects. */
  close(): Promise<void>;
}

/** The SDK divides the interval of metrics by nothing: an export may take no longer than this. */

/** Rejects with an Error that names the packages to install, if a signal is exported over gRPC and they are missing. */
export async function startOtlpExport(options: OtlpExportOptions): Promise<OtlpExport> {
  const { plan, onFailure, readMetrics, version } = options;
  const { settings } = plan;
  const agents = new ExportAgents();
  const grpc = [...plan.protocols.values()].includes("grpc") ? await loadGrpcExporters() : undefined;
  const exporting = { plan, agents, grpc, onFailure };
  const resource = toResource(plan, version);
  const contexts = new AsyncLocalStorageContextManager().enable();
  const tracers = createTracers(resource, exporting);
  const meters = createMeters(resource, exporting, readMetrics);
  const loggers = createLoggers(resource, exporting);
  const hasApi = plan.protocols.has("traces") || plan.protocols.has("metrics");
  const api: TelemetryApi = {
    context: { active: () => contexts.active(), with: (context, run) => contexts.with(context as never, run) },
    propagation: new CompositePropagator({
      propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()],
    }) as unknown as TelemetryApi["propagation"],
    trace: {
      getTracer: (name) => tracers.getTracer(name) as ReturnType<TelemetryApi["trace"]["getTracer"]>,
      setSpan: trace.setSpan as TelemetryApi["trace"]["setSpan"],
      getSpan: trace.getSpan as TelemetryApi["trace"]["getSpan"],
      getSpanContext: trace.getSpanContext as TelemetryApi["trace"]["getSpanContext"],
    },
    metrics: meters as unknown as TelemetryApi["metrics"],
  };
  const active = () => contexts.active() ?? ROOT_CONTEXT;
  return {
    api: hasApi ? api : undefined,
    log: plan.protocols.has("logs") ? createLogRecords(loggers.getLogger("lethe/gateway"), active) : undefined,
    async close() {
      const ended = Promise.allSettled([tracers.shutdown(), meters.shutdown(), loggers.shutdown()]);
      await within(settings.flushMs ?? defaultTelemetry.flushMs, ended);
      agents.close();
      contexts.disable();
    },
  };
}

/** A later source overrides an earlier one: the SDK, the gateway, the environment, the configuration. */
function toResource({ settings: { serviceName, attributes } }: TelemetryPlan, version: string): Resource {
  const own = {
    "service.name": defaultTelemetry.serviceName,
    "service.version": version,
    "service.instance.id": crypto.randomUUID(),
    "host.name": hostname(),
    "process.pid": process.pid,
  };
  const configured = { ...attributes, ...(serviceName !== undefined && { "service.name": serviceName }) };
  return defaultResource()
    .merge(resourceFromAttributes(own))
    .merge(detectResources({ detectors: [envDetector] }))
    .merge(resourceFromAttributes(configured));
}

/** The SDK reads the limits of queues and the sampler from the environment. */
function createTracers(resource: Resource, exporting: ExporterOptions): BasicTracerProvider {
  const { sampleRatio } = exporting.plan.settings;
  const exporter = createExporter("traces", exporting);
  return new BasicTracerProvider({
    resource,
    spanProcessors: exporter ? [new BatchSpanProcessor(exporter)] : [],
    ...(sampleRatio !== undefined && {
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRatio) }),
    }),
  });
}

function createMeters(
  resource: Resource,
  exporting: ExporterOptions,
  readMetrics: OtlpExportOptions["readMetrics"],
): MeterProvider {
  const { metricIntervalMs, timeoutMs } = exporting.plan.settings;
  const exporter = createExporter("metrics", exporting);
  if (!exporter) return new MeterProvider({ resource });
  const interval =
    metricIntervalMs ?? getNumberFromEnv("OTEL_METRIC_EXPORT_INTERVAL") ?? defaultTelemetry.metricIntervalMs;
  const timeout = timeoutMs ?? getNumberFromEnv("OTEL_METRIC_EXPORT_TIMEOUT") ?? defaultTelemetry.timeoutMs;
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: interval,
    // The SDK refuses a timeout that is longer than the interval.
    exportTimeoutMillis: Math.min(timeout, interval),
    metricProducers: [createPrometheusBridge(resource, readMetrics)],
  });
  return new MeterProvider({ resource, readers: [reader] });
}

function createLoggers(resource: Resource, exporting: ExporterOptions): LoggerProvider {
  const exporter = createExporter("logs", exporting);
  if (!exporter) return new LoggerProvider({ resource });
  const limits = {
    scheduledDelayMillis: getNumberFromEnv("OTEL_BLRP_SCHEDULE_DELAY"),
    exportTimeoutMillis: getNumberFromEnv("OTEL_BLRP_EXPORT_TIMEOUT"),
    maxQueueSize: getNumberFromEnv("OTEL_BLRP_MAX_QUEUE_SIZE"),
    maxExportBatchSize: getNumberFromEnv("OTEL_BLRP_MAX_EXPORT_BATCH_SIZE"),
  };
  const given = Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined));
  return new LoggerProvider({ resource, processors: [new BatchLogRecordProcessor({ exporter, ...given })] });
}

async function within(ms: number, ended: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([ended, late]);
  clearTimeout(timer);
}
