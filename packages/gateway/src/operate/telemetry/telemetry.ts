// Telemetry of a running gateway: an API that a program gives, OTLP export as configured, or an SDK that was loaded before.
import type { TelemetrySettings } from "../../config/schema/settings.ts";
import type { TelemetrySignal } from "../../config/schema/telemetry-signals.ts";
import type { TelemetryApi } from "../../tracing/trace-link.ts";
import { gatewayInfo } from "../../upstreams/connection/own-request.ts";
import type { LogEntry } from "../observe/log.ts";
import { findTelemetryApi } from "../observe/telemetry-api.ts";
import type { OtlpExport } from "./otlp-export.ts";
import type { PrometheusMetric } from "./prometheus-bridge.ts";
import { toTelemetryPlan } from "./telemetry-plan.ts";

/** The parts of the gateway that telemetry reads and informs. */
export interface TelemetrySource {
  readMetrics(): Promise<readonly PrometheusMetric[]>;
  /** Data of this signal could not be exported and is lost. */
  onFailure(signal: TelemetrySignal, reason: string): void;
}

export interface Telemetry {
  /** Undefined: nothing is traced or measured. */
  readonly api: TelemetryApi | undefined;
  /** Whether log entries are exported. */
  readonly exportsLogs: boolean;
  /** What the operator should know, for the log. */
  readonly problems: readonly string[];
  log(entry: LogEntry): void;
  /** Begins to export the metrics of the gateway. */
  follow(source: TelemetrySource): void;
  /** Exports what is left, for `telemetry.flushMs` at most. */
  close(): Promise<void>;
}

export interface TelemetryOptions {
  readonly settings: TelemetrySettings | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Takes precedence over everything else. */
  readonly api: TelemetryApi | undefined;
}

/** Rejects with an Error that names the packages to install, if the configured protocol needs some that are missing. */
export async function openTelemetry({ settings, environment, api }: TelemetryOptions): Promise<Telemetry> {
  const plan = api ? undefined : toTelemetryPlan(settings, environment);
  const problems = [...(plan?.problems ?? [])];
  const loaded = api ?? (await findTelemetryApi({ onProblem: (problem) => problems.push(problem) }));
  let source: TelemetrySource | undefined;
  let exported: OtlpExport | undefined;
  if (plan) {
    const { startOtlpExport } = await import("./otlp-export.ts");
    exported = await startOtlpExport({
      ...{ plan, version: gatewayInfo.version },
      readMetrics: async () => source?.readMetrics(),
      onFailure: (signal, error) => source?.onFailure(signal, toReason(error)),
    });
  }
  return {
    // An SDK that the operator loaded has been set up on purpose, so its traces are not exported twice.
    api: loaded ?? exported?.api,
    exportsLogs: exported?.log !== undefined,
    problems,
    log: (entry) => exported?.log?.(entry),
    follow(followed) {
      source = followed;
    },
    async close() {
      await exported?.close();
    },
  };
}

/** The message of the SDK's error, without the body of the response. */
function toReason(error: unknown): string {
  if (!(error instanceof Error)) return "the export failed";
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? error.message : `${error.message} (${code})`;
}
