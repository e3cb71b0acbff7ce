// What a gateway would export over OTLP and whether it could, without exporting anything.
import type { TelemetrySettings } from "../../config/schema/settings.ts";
import { loadGrpcExporters } from "./grpc-exporters.ts";
import { toTelemetryPlan } from "./telemetry-plan.ts";

export interface InspectedTelemetry {
  /** The exported signals with their protocols, such as "traces over grpc". */
  readonly exported: readonly string[];
  /** Variables of OpenTelemetry that have no effect. */
  readonly notes: readonly string[];
  /** Why a gateway would not start: packages that cannot be loaded. */
  readonly problem?: string;
}

/** Resolves with undefined if nothing is exported. */
export async function inspectTelemetry(
  settings: TelemetrySettings | undefined,
  environment: Readonly<Record<string, string | undefined>>,
  load: () => Promise<unknown> = loadGrpcExporters,
): Promise<InspectedTelemetry | undefined> {
  const plan = toTelemetryPlan(settings, environment);
  if (!plan) return undefined;
  const exported = [...plan.protocols].map(([signal, protocol]) => `${signal} over ${protocol}`);
  const needsGrpc = [...plan.protocols.values()].includes("grpc");
  const problem = needsGrpc
    ? await load().then(
        () => undefined,
        (error: Error) => error.message,
      )
    : undefined;
  return { exported, notes: plan.problems, ...(problem !== undefined && { problem }) };
}
