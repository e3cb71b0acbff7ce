// Whether what the configuration or the environment exports over OTLP can be exported: optional packages, and values of variables.
import type { GatewaySettings } from "@lethe/gateway";
import { type InspectedTelemetry, inspectTelemetry } from "@lethe/gateway/telemetry";
import { type Finding, ok, problem, warning } from "./finding.ts";

export async function checkTelemetry({ telemetry }: GatewaySettings): Promise<Finding[]> {
  return toTelemetryFindings(await inspectTelemetry(telemetry, process.env));
}

export function toTelemetryFindings(inspected: InspectedTelemetry | undefined): Finding[] {
  if (!inspected) return [];
  const { exported, notes, problem: missing } = inspected;
  const text = `OTLP exports ${exported.join(", ")}`;
  const remarks = notes.map((note) =>
    warning("telemetry", note, {
      cause: "a variable of OpenTelemetry has a value that Lethe does not support",
      remedy: "correct the variable, or set gateway.telemetry",
    }),
  );
  if (missing === undefined) return [ok("telemetry", text), ...remarks];
  const diagnosis = {
    cause: missing,
    remedy: "install the packages beside lethe, or set the protocol http/protobuf (gateway.telemetry.protocol)",
  };
  return [problem("telemetry", `${text}, but its packages are missing`, diagnosis), ...remarks];
}
