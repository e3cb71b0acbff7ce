// What is exported over OTLP: the block `telemetry`, and the variables of OpenTelemetry where the block says nothing.
import type { TelemetrySettings } from "../../config/schema/settings.ts";
import {
  type TelemetryProtocol,
  type TelemetrySignal,
  telemetryProtocols,
  telemetrySignals,
} from "../../config/schema/telemetry-signals.ts";

export interface TelemetryPlan {
  /** The protocol of each exported signal. */
  readonly protocols: ReadonlyMap<TelemetrySignal, TelemetryProtocol>;
  readonly settings: TelemetrySettings;
  /** Settings of the environment that have no effect. */
  readonly problems: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

const samplers: ReadonlySet<string> = new Set([
  ...["always_on", "always_off", "traceidratio"],
  ...["parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio"],
]);

/** Returns undefined if nothing is exported: nothing is configured, or OTEL_SDK_DISABLED is true. */
export function toTelemetryPlan(
  settings: TelemetrySettings | undefined,
  environment: Environment,
): TelemetryPlan | undefined {
  if (environment.OTEL_SDK_DISABLED?.toLowerCase() === "true") return undefined;
  const problems: string[] = [];
  const isWanted = settings !== undefined || isSet(environment.OTEL_EXPORTER_OTLP_ENDPOINT);
  const exported = telemetrySignals.filter(
    (signal) => settings?.signals?.includes(signal) ?? isExported(signal, environment, { isWanted, problems }),
  );
  if (exported.length === 0) return undefined;
  const protocols = exported.map((signal) => {
    return [signal, settings?.protocol ?? protocolIn(signal, environment, problems)] as const;
  });
  const { OTEL_TRACES_SAMPLER: sampler } = environment;
  if (isSet(sampler) && !samplers.has(sampler) && settings?.sampleRatio === undefined) {
    problems.push(
      `OTEL_TRACES_SAMPLER must be one of ${[...samplers].join(", ")}, got "${sampler}": all traces are sampled`,
    );
  }
  return { protocols: new Map(protocols), settings: settings ?? {}, problems };
}

function isExported(
  signal: TelemetrySignal,
  environment: Environment,
  { isWanted, problems }: { isWanted: boolean; problems: string[] },
): boolean {
  const name = `OTEL_${signal.toUpperCase()}_EXPORTER`;
  const exporter = environment[name];
  if (!isSet(exporter)) return isWanted || isSet(environment[variableOf(signal, "ENDPOINT")]);
  if (exporter === "otlp") return true;
  if (exporter !== "none")
    problems.push(`${name} must be "otlp" or "none", got "${exporter}": ${signal} are not exported`);
  return false;
}

function protocolIn(signal: TelemetrySignal, environment: Environment, problems: string[]): TelemetryProtocol {
  const own = environment[variableOf(signal, "PROTOCOL")];
  const named = isSet(own) ? own : environment.OTEL_EXPORTER_OTLP_PROTOCOL;
  const known = telemetryProtocols.find((protocol) => protocol === named);
  if (isSet(named) && !known) {
    const expected = telemetryProtocols.join(" or ");
    problems.push(`the OTLP protocol of ${signal} must be ${expected}, got "${named}": http/protobuf is used`);
  }
  return known ?? "http/protobuf";
}

function variableOf(signal: TelemetrySignal, setting: string): string {
  return `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_${setting}`;
}

/** OpenTelemetry treats an empty variable as absent. */
function isSet(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== "";
}
