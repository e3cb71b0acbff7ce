// The OTLP exporters over gRPC. Their packages are optional peers of lethe: they bring 30 packages, of 13 MB, and most collectors speak HTTP.
import type { TelemetrySettings } from "../../config/schema/settings.ts";
import type { TelemetrySignal } from "../../config/schema/telemetry-signals.ts";
import type { Exporters } from "./otlp-exporters.ts";

export interface GrpcExporters {
  create<S extends TelemetrySignal>(signal: S, settings: TelemetrySettings): Exporters[S];
}

/** The versions fit the SDK that lethe contains. */
const packages = ["exporter-trace-otlp-grpc", "exporter-metrics-otlp-grpc", "exporter-logs-otlp-grpc"];
const version = "0.223.0";
const base = `@opentelemetry/otlp-grpc-exporter-base@${version}`;
const names = [...packages.map((name) => `@opentelemetry/${name}@${version}`), base].join(" ");

/** Rejects with an Error that names the packages to install. */
export async function loadGrpcExporters(load: () => Promise<Packages> = loadPackages): Promise<GrpcExporters> {
  const [traces, metrics, logs, { createEmptyMetadata }] = await load().catch((error: unknown) => {
    const reason = (error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND" ? "not installed" : String(error);
    throw new Error(
      `OTLP over gRPC needs packages that cannot be loaded (${reason}). Install them beside lethe: npm install ${names}. Or export over HTTP: set the protocol http/protobuf`,
      { cause: error },
    );
  });
  const classes = {
    traces: traces.OTLPTraceExporter,
    metrics: metrics.OTLPMetricExporter,
    logs: logs.OTLPLogExporter,
  };
  return {
    create<S extends TelemetrySignal>(signal: S, { endpoint, headers, timeoutMs }: TelemetrySettings) {
      const metadata = createEmptyMetadata();
      for (const [name, value] of Object.entries(headers ?? {})) metadata.set(name, value);
      const exporter = new classes[signal]({
        ...(endpoint !== undefined && { url: endpoint }),
        ...(headers !== undefined && { metadata }),
        ...(timeoutMs !== undefined && { timeoutMillis: timeoutMs }),
      });
      return exporter as Exporters[S];
    },
  };
}

type ExporterClass = new (options: object) => object;

/** What is used of the packages. Their own types would be missing in the declarations for users who do not install them. */
type Packages = readonly [
  { readonly OTLPTraceExporter: ExporterClass },
  { readonly OTLPMetricExporter: ExporterClass },
  { readonly OTLPLogExporter: ExporterClass },
  { createEmptyMetadata(): { set(name: string, value: string): void } },
];

function loadPackages(): Promise<Packages> {
  return Promise.all([
    import("@opentelemetry/exporter-trace-otlp-grpc"),
    import("@opentelemetry/exporter-metrics-otlp-grpc"),
    import("@opentelemetry/exporter-logs-otlp-grpc"),
    import("@opentelemetry/otlp-grpc-exporter-base"),
  ]);
}
