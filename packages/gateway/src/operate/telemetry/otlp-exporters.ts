// The OTLP exporters of each signal, with the settings of the configuration. The exporters read the variables of OpenTelemetry themselves.
import { OTLPLogExporter as JsonLogExporter } from "@opentelemetry/exporter-logs-otlp-http";
import { OTLPLogExporter as ProtobufLogExporter } from "@opentelemetry/exporter-logs-otlp-proto";
import { OTLPMetricExporter as JsonMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPMetricExporter as ProtobufMetricExporter } from "@opentelemetry/exporter-metrics-otlp-proto";
import { OTLPTraceExporter as JsonTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import type { OTLPExporterNodeConfigBase } from "@opentelemetry/otlp-exporter-base";
import type { LogRecordExporter } from "@opentelemetry/sdk-logs";
import type { PushMetricExporter } from "@opentelemetry/sdk-metrics";
import type { SpanExporter } from "@opentelemetry/sdk-trace-base";
import type { TelemetryProtocol, TelemetrySignal } from "../../config/schema/telemetry-signals.ts";
import type { ExportAgents } from "./export-agent.ts";
import type { GrpcExporters } from "./grpc-exporters.ts";
import type { TelemetryPlan } from "./telemetry-plan.ts";

export interface ExporterOptions {
  readonly plan: TelemetryPlan;
  readonly agents: ExportAgents;
  /** Loaded if a signal is exported over gRPC. */
  readonly grpc: GrpcExporters | undefined;
  /** Called when an export failed for good. Its data is lost. */
  onFailure(signal: TelemetrySignal, error: unknown): void;
}

export interface Exporters {
  readonly traces: SpanExporter;
  readonly metrics: PushMetricExporter;
  readonly logs: LogRecordExporter;
}

type ExporterClass<Exporter> = new (config: OTLPExporterNodeConfigBase) => Exporter;
type ExporterClasses = {
  readonly [S in TelemetrySignal]: Readonly<Record<Exclude<TelemetryProtocol, "grpc">, ExporterClass<Exporters[S]>>>;
};

const classes: ExporterClasses = {
  traces: { "http/protobuf": ProtobufTraceExporter, "http/json": JsonTraceExporter },
  metrics: { "http/protobuf": ProtobufMetricExporter, "http/json": JsonMetricExporter },
  logs: { "http/protobuf": ProtobufLogExporter, "http/json": JsonLogExporter },
};

/** Undefined for a signal that is not exported. */
export function createExporter<S extends TelemetrySignal>(
  signal: S,
  options: ExporterOptions,
): Exporters[S] | undefined {
  const { plan, agents, grpc, onFailure } = options;
  const protocol = plan.protocols.get(signal);
  if (protocol === undefined) return undefined;
  const { endpoint, headers, timeoutMs } = plan.settings;
  const exporter =
    protocol === "grpc"
      ? grpc?.create(signal, plan.settings)
      : new classes[signal][protocol]({
          ...(endpoint !== undefined && { url: `${endpoint.replace(/\/+$/, "")}/v1/${signal}` }),
          ...(headers !== undefined && { headers: { ...headers } }),
          ...(timeoutMs !== undefined && { timeoutMillis: timeoutMs }),
          httpAgentOptions: agents.create,
        });
  if (!exporter) return undefined;
  reportFailures(exporter as Exporting, (error) => onFailure(signal, error));
  return exporter;
}

interface Exporting {
  export(items: unknown, done: (result: { code: number; error?: Error }) => void): void;
}

/** The SDK itself reports failures only to a global logger. */
function reportFailures(exporter: Exporting, onFailure: (error: unknown) => void): void {
  const send = exporter.export.bind(exporter);
  exporter.export = (items, done) =>
    send(items, (result) => {
      if (result.code !== 0) onFailure(result.error);
      done(result);
    });
}
