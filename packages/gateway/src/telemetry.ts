// The entry point @lethe/gateway/telemetry: what a gateway would export over OTLP, without the gateway.

export { type InspectedTelemetry, inspectTelemetry } from "./operate/telemetry/inspect-telemetry.ts";
